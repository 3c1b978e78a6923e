import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.graph.FlatGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.AMSGrad;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.AdaGrad;
import org.nd4j.linalg.learning.config.AdaMax;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nadam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/** A graph of two layers that is trained. */
final class Training {
  private Training() {}

  /** After a few steps the updater has a state. */
  static void build(SameDiff graph, Random random, String updater) {
    SDVariable in = graph.placeHolder("in", DataType.FLOAT, -1, 4);
    SDVariable label = graph.placeHolder("label", DataType.FLOAT, -1, 3);
    SDVariable w1 = graph.var("hidden/w", Arrays.random(random, DataType.FLOAT, 'f', 4, 6));
    SDVariable b1 = graph.var("hidden/b", Arrays.random(random, DataType.FLOAT, 'c', 1, 6));
    SDVariable w2 = graph.var("w", Arrays.random(random, DataType.FLOAT, 'c', 6, 3));
    SDVariable scale = graph.constant("scale", Nd4j.scalar(0.5f));
    SDVariable hidden = graph.math().tanh("hidden", in.mmul(w1).add(b1)).mul(scale);
    graph.loss().meanSquaredError("loss", label, hidden.mmul("out", w2), null);
    graph.setTrainingConfig(new TrainingConfig.Builder().updater(updater(updater)).l2(1e-4).l1(1e-5)
        .weightDecay(1e-3, true).dataSetFeatureMapping("in").dataSetLabelMapping("label").build());
    for (int i = 0; i < 3; i++) {
      step(graph, random);
    }
  }

  private static IUpdater updater(String name) {
    return switch (name) {
      case "Adam" -> new Adam(new StepSchedule(ScheduleType.ITERATION, 0.01, 0.5, 2));
      case "AMSGrad" -> new AMSGrad(0.01);
      case "AdaDelta" -> new AdaDelta();
      case "AdaGrad" -> new AdaGrad(0.01);
      case "AdaMax" -> new AdaMax(0.01);
      case "Nadam" -> new Nadam(0.01);
      case "Nesterovs" -> new Nesterovs(0.01, 0.9);
      case "RmsProp" -> new RmsProp(0.01);
      case "Sgd" -> new Sgd(0.01);
      default -> throw new IllegalArgumentException("no such graph: " + name);
    };
  }

  static void step(SameDiff graph, Random random) {
    graph.fit(new DataSet(Arrays.random(random, DataType.FLOAT, 'c', 5, 4),
        Arrays.random(random, DataType.FLOAT, 'c', 5, 3)));
  }

  /** From JSON, or from a file that is a graph with nothing else in it. */
  static void configure(SameDiff graph, String file) throws Exception {
    byte[] content = Files.readAllBytes(Path.of(file));
    ByteBuffer buffer = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    String text = content[0] == '{'
        ? new String(content, StandardCharsets.UTF_8)
        : FlatGraph.getRootAsFlatGraph(buffer).trainingConfig();
    graph.setTrainingConfig(TrainingConfig.fromJson(text));
  }

  /** What ND4J itself does only when it is too late to set a state. */
  static void initialize(SameDiff graph) throws Exception {
    Method initialize = SameDiff.class.getDeclaredMethod("initializeTraining");
    initialize.setAccessible(true);
    initialize.invoke(graph);
  }

  static void setState(SameDiff graph, String parameter, Map<String, INDArray> state) {
    IUpdater updater = graph.getTrainingConfig().getUpdater();
    graph.getUpdaterMap().put(parameter, updater.instantiate(state, false));
  }
}
