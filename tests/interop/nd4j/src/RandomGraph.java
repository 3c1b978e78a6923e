import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Operations that are chosen at random, on matrices of a row per example. */
final class RandomGraph {
  private record Matrix(SDVariable variable, int columns) {}

  private final SameDiff graph;
  private final Random random;
  private final DataType type;
  private final boolean smooth;
  private final List<Matrix> matrices = new ArrayList<>();

  /** In a smooth one rounding errors stay small. */
  RandomGraph(SameDiff graph, Random random, boolean smooth) {
    this.graph = graph;
    this.random = random;
    this.smooth = smooth;
    this.type = smooth || random.nextBoolean() ? DataType.DOUBLE : DataType.FLOAT;
  }

  void fill() {
    for (int i = 0; i <= random.nextInt(3); i++) {
      int columns = 2 + random.nextInt(4);
      matrices.add(new Matrix(graph.placeHolder("in " + i, type, -1, columns), columns));
    }
    Matrix first = matrices.get(0);
    SDVariable weights = graph.var("weights", Arrays.random(random, type, 'f', first.columns, 3));
    matrices.add(new Matrix(first.variable.mmul(weights), 3));
    for (int i = 10 + random.nextInt(30); i > 0; i--) {
      Matrix of = matrices.get(random.nextInt(matrices.size()));
      Matrix made = operation(random.nextInt(smooth ? 27 : 30), of);
      matrices.add(random.nextInt(3) == 0 ? named(made) : made);
    }
  }

  private Matrix named(Matrix matrix) {
    String scope = List.of("", "layer/", "Ä/b/", "x y ").get(random.nextInt(4));
    return new Matrix(matrix.variable.rename(scope + "m" + matrices.size()), matrix.columns);
  }

  private SDVariable parameter(long... shape) {
    INDArray values = Arrays.random(random, type, random.nextBoolean() ? 'f' : 'c', shape);
    String name = "p" + graph.variables().size();
    return random.nextInt(3) == 0 ? graph.constant(name, values) : graph.var(name, values);
  }

  private Matrix like(Matrix of, SDVariable variable) {
    return new Matrix(variable, of.columns);
  }

  private Matrix operation(int kind, Matrix of) {
    SDVariable x = of.variable;
    int n = of.columns;
    double number = Math.round(100 * random.nextDouble()) / 32.0;
    return n > 40 ? product(of, 3) : switch (kind) {
      case 0, 1, 2 -> product(of, 2 + random.nextInt(5));
      case 3 -> like(of, x.add(parameter(n)));
      case 4 -> like(of, x.mul(parameter(1, n)));
      case 5 -> like(of, x.sub(parameter()));
      case 6 -> like(of, graph.math().tanh(x));
      case 7 -> like(of, graph.nn().sigmoid(x));
      case 8 -> like(of, graph.nn().relu(x, 0));
      case 9 -> like(of, graph.nn().leakyRelu(x, 0.125));
      case 10 -> like(of, graph.nn().softmax(x, 1));
      case 11 -> like(of, x.add(number));
      case 12 -> like(of, x.mul(number));
      case 13 -> like(of, graph.math().pow(graph.math().abs(x), number));
      case 14 -> beside(of, x.sum(true, 1));
      case 15 -> beside(of, x.mean(true, 1));
      case 16 -> beside(of, graph.standardDeviation(x, true, true, 1));
      case 17 -> beside(of, graph.math().norm2(x, true, 1));
      case 18 -> like(of, x.sub(x.max()));
      case 19 -> pair(of);
      case 20 -> like(of, graph.math().clipByValue(x, -1 - number, number));
      case 21 -> padded(of);
      case 22 -> like(of, graph.nn().layerNorm(x, parameter(n), parameter(n), true, 1));
      case 23 -> like(of, graph.cumsum(x, random.nextBoolean(), random.nextBoolean(), 1));
      case 24 -> new Matrix(graph.gather(x, new int[] {n - 1, 0}, 1), 2);
      case 25 -> new Matrix(graph.tile(x, 1, 2), 2 * n);
      case 26 -> like(of, graph.permute(graph.permute(x, 1, 0), 1, 0));
      case 27 -> like(of, x.gt(number).castTo(type));
      case 28 -> like(of, x.castTo(DataType.INT32).castTo(type));
      default -> new Matrix(graph.oneHot(x.argmax(1), 4, 1, number, 0, type), 4);
    };
  }

  private Matrix product(Matrix of, int columns) {
    return new Matrix(of.variable.mmul(parameter(of.columns, columns)), columns);
  }

  /** ND4J fails to reduce what has a single column. */
  private Matrix beside(Matrix of, SDVariable column) {
    return new Matrix(graph.concat(1, of.variable, column), of.columns + 1);
  }

  private Matrix padded(Matrix of) {
    SDVariable widths = graph.constant(Nd4j.createFromArray(new int[][] {{0, 0}, {1, 2}}));
    return new Matrix(graph.nn().pad(of.variable, widths, 0), of.columns + 3);
  }

  private Matrix pair(Matrix of) {
    Matrix other = matrices.get(random.nextInt(matrices.size()));
    return new Matrix(graph.concat(1, of.variable, other.variable), of.columns + other.columns);
  }
}
