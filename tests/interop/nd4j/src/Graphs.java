import java.util.Random;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Conv2DConfig;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.PaddingMode;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Pooling2DConfig;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Graphs by name. */
final class Graphs {
  private static final DataType[] NUMBERS = {
    DataType.BOOL, DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64, DataType.UINT8,
    DataType.HALF, DataType.FLOAT, DataType.DOUBLE};
  /** All but UINT8, of which ND4J does not read the strides. */
  private static final DataType[] PERMUTED = {
    DataType.BOOL, DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64,
    DataType.HALF, DataType.FLOAT, DataType.DOUBLE};
  private static final long[][] SHAPES = {{}, {1}, {5}, {3, 4}, {4, 1, 3}, {2, 3, 2, 2}};

  private Graphs() {}

  static SameDiff make(String name, int seed) {
    Nd4j.getRandom().setSeed(seed);
    Random random = new Random(seed);
    SameDiff graph = SameDiff.create();
    switch (name) {
      case "values" -> values(graph, random);
      case "bfloat16" -> graph.constant("values", Arrays.random(random, DataType.BFLOAT16, 'f', 3, 4));
      case "uint16" -> graph.constant("values", Arrays.random(random, DataType.UINT16, 'f', 3, 4));
      case "uint32" -> graph.constant("values", Arrays.random(random, DataType.UINT32, 'f', 3, 4));
      case "uint64" -> graph.constant("values", Arrays.random(random, DataType.UINT64, 'f', 3, 4));
      case "placeholders" -> placeholders(graph);
      case "texts" -> graph.constant("texts", Nd4j.create(new String[] {"one", "", "two words", "\t\"x\"\\"}));
      case "convolution" -> convolution(graph, random);
      case "branch" -> branch(graph, random);
      case "loop" -> loop(graph, random);
      case "random" -> new RandomGraph(graph, random, false).fill();
      case "smooth" -> new RandomGraph(graph, random, true).fill();
      default -> Training.build(graph, random, name);
    }
    return graph;
  }

  private static void values(SameDiff graph, Random random) {
    for (DataType type : NUMBERS) {
      for (long[] shape : SHAPES) {
        for (char order : new char[] {'c', 'f'}) {
          String name = type + "/" + order + shape.length + "." + java.util.Arrays.stream(shape).sum();
          INDArray array = Arrays.random(random, type, order, shape);
          if (type.isFPType() && random.nextBoolean()) {
            graph.var(name, array);
          } else {
            graph.constant(name, array);
          }
        }
      }
      graph.constant("empty " + type, Nd4j.empty(type));
      graph.constant("none " + type, Nd4j.create(type, 0, 3));
    }
    views(graph, random);
    graph.var("odd numbers", Nd4j.createFromArray(Float.NaN, Float.NEGATIVE_INFINITY, -0f, Float.MIN_VALUE));
    graph.constant("Größe/重み & <b>", Nd4j.scalar(Long.MIN_VALUE));
  }

  /** Arrays that share their values with others, and lie in other orders than they are seen in. */
  private static void views(SameDiff graph, Random random) {
    INDArray whole = Arrays.random(random, DataType.FLOAT, 'c', 6, 5);
    graph.var("views/transposed", whole.transpose());
    graph.var("views/part", whole.get(NDArrayIndex.interval(1, 4), NDArrayIndex.interval(0, 2, 5)));
    graph.var("views/column", whole.getColumn(2));
    graph.var("views/reversed", whole.get(NDArrayIndex.all(), NDArrayIndex.interval(1, 3)).transpose());
    int[][] permutations = {{1, 2, 0, 3}, {3, 0, 2, 1}, {0, 3, 1, 2}, {3, 2, 1, 0}, {2, 1, 0, 3}};
    for (int[] permutation : permutations) {
      DataType type = PERMUTED[random.nextInt(PERMUTED.length)];
      INDArray array = Arrays.random(random, type, random.nextBoolean() ? 'f' : 'c', 2, 3, 1 + random.nextInt(3), 4);
      graph.constant("permuted/" + java.util.Arrays.toString(permutation), array.permute(permutation));
    }
    INDArray permuted = Arrays.random(random, DataType.FLOAT, 'c', 2, 3, 4).permute(2, 0, 1);
    graph.var("permuted/part", permuted.get(NDArrayIndex.interval(1, 3)));
    graph.var("permuted/again", permuted.reshape('f', 6, 4));
  }

  private static void placeholders(SameDiff graph) {
    for (DataType type : NUMBERS) {
      graph.placeHolder(type + "_matrix", type, -1, 4);
    }
    graph.placeHolder("any", DataType.FLOAT, -1, -1, -1);
    graph.placeHolder("fixed", DataType.FLOAT, 2, 3);
    graph.placeHolder("scalar", DataType.FLOAT);
  }

  private static void convolution(SameDiff graph, Random random) {
    SDVariable image = graph.placeHolder("image", DataType.FLOAT, -1, 2, 9, 8);
    SDVariable kernel = graph.var("kernel", Arrays.random(random, DataType.FLOAT, 'f', 3, 3, 2, 4));
    SDVariable bias = graph.var("bias", Arrays.random(random, DataType.FLOAT, 'c', 4));
    Conv2DConfig config = Conv2DConfig.builder().kH(3).kW(3).sH(2).sW(1).paddingMode(PaddingMode.SAME).build();
    SDVariable features = graph.cnn().conv2d("features", image, kernel, bias, config);
    Pooling2DConfig pool = Pooling2DConfig.builder().kH(2).kW(2).sH(2).sW(2).build();
    SDVariable pooled = graph.cnn().avgPooling2d("pooled", graph.nn().relu(features, 0), pool);
    SDVariable flat = graph.reshape("flat", pooled, -1, 4 * 2 * 4);
    SDVariable weights = graph.var("weights", Arrays.random(random, DataType.FLOAT, 'f', 32, 3));
    graph.nn().softmax("classes", graph.mmul(flat, weights), 1);
  }

  private static void branch(SameDiff graph, Random random) {
    SDVariable x = graph.placeHolder("x", DataType.FLOAT, -1, 3);
    SDVariable w = graph.var("w", Arrays.random(random, DataType.FLOAT, 'c', 3));
    graph.ifCond("chosen", "branch", sd -> x.sum().gt(0), sd -> x.add(w), sd -> x.sub(w));
  }

  private static void loop(SameDiff graph, Random random) {
    SDVariable counter = graph.constant("counter", Nd4j.scalar(0f));
    SDVariable x = graph.placeHolder("x", DataType.FLOAT, 2, 2);
    SDVariable last = graph.constant("last", Nd4j.scalar(5f));
    SDVariable[] results = graph.whileLoop(new String[] {"count", "result"}, "loop", new SDVariable[] {counter, x},
        (sd, v) -> v[0].lt(last), (sd, v) -> new SDVariable[] {v[0].add(1), v[1].mul(1.25)});
    graph.var("w", Arrays.random(random, DataType.FLOAT, 'f', 2, 2)).mmul("product", results[1]);
  }
}
