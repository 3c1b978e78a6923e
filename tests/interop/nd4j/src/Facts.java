import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.nd4j.autodiff.functions.DifferentialFunction;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.internal.SameDiffOp;
import org.nd4j.autodiff.samediff.serde.FlatBuffersMapper;
import org.nd4j.graph.DType;
import org.nd4j.graph.OpType;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.CustomOp;
import org.nd4j.linalg.api.ops.Op;
import org.nd4j.linalg.api.ops.ScalarOp;
import org.nd4j.linalg.api.ops.impl.controlflow.compat.BaseCompatOp;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** What ND4J says of a graph and of arrays, as maps and lists. */
final class Facts {
  private Facts() {}

  static Map<String, Object> ofGraph(SameDiff graph) throws Exception {
    Map<String, Object> facts = new LinkedHashMap<>();
    List<Object> variables = new ArrayList<>();
    for (SDVariable variable : graph.variables()) {
      variables.add(ofVariable(variable));
    }
    List<Object> operations = new ArrayList<>();
    for (SameDiffOp operation : graph.getOps().values()) {
      operations.add(ofOperation(graph, operation));
    }
    facts.put("variables", variables);
    facts.put("operations", operations);
    facts.put("placeholders", graph.inputs());
    facts.put("loss_variables", graph.getLossVariables());
    TrainingConfig training = graph.getTrainingConfig();
    facts.put("training_config", training == null ? null : new ObjectMapper().readTree(training.toJson()));
    facts.put("updater_state", ofUpdaters(graph.getUpdaterMap()));
    return facts;
  }

  private static Map<String, Object> ofVariable(SDVariable variable) throws Exception {
    Map<String, Object> facts = new LinkedHashMap<>();
    VariableType kind = variable.getVariableType();
    boolean stored = kind == VariableType.VARIABLE || kind == VariableType.CONSTANT;
    facts.put("name", variable.name());
    facts.put("kind", kind.name());
    facts.put("dtype", variable.dataType() == null ? null : name(variable.dataType()));
    facts.put("shape", kind == VariableType.PLACEHOLDER ? variable.placeholderShape() : null);
    facts.put("array", stored && variable.getArr() != null ? ofArray(variable.getArr()) : null);
    return facts;
  }

  private static Map<String, Object> ofOperation(SameDiff graph, SameDiffOp operation) throws Exception {
    Map<String, Object> facts = new LinkedHashMap<>();
    DifferentialFunction function = operation.getOp();
    facts.put("name", operation.getName());
    facts.put("op", function.opName());
    facts.put("type", OpType.name(FlatBuffersMapper.getFlatOpType(function.opType())));
    facts.put("inputs", graph.getInputsForOp(function));
    facts.put("outputs", graph.getOutputsForOp(function));
    facts.put("control_dependencies", operation.getControlDeps());
    if (function instanceof BaseCompatOp compat) {
      facts.put("frame", compat.getFrameName());
    }
    if (function instanceof CustomOp custom) {
      facts.put("integers", custom.iArgs());
      facts.put("doubles", custom.tArgs());
      facts.put("booleans", custom.bArgs());
      facts.put("dtypes", names(custom.dArgs()));
      facts.put("strings", custom.sArgs());
    } else if (function instanceof Op legacy) {
      facts.put("number", legacy.opNum());
      facts.put("extra", legacy.extraArgs());
      facts.put("dimensions", function.getDimensions());
      if (function instanceof ScalarOp scalar && scalar.scalar() != null) {
        facts.put("scalar", ofArray(scalar.scalar()));
        facts.put("value", scalar.scalar().getDouble(0));
      }
    }
    return facts;
  }

  /** What the schema calls it. */
  private static String name(DataType type) {
    return DType.name(FlatBuffersMapper.getDataTypeAsByte(type));
  }

  private static List<String> names(DataType[] types) {
    List<String> names = new ArrayList<>();
    for (DataType type : types) {
      names.add(name(type));
    }
    return names;
  }

  @SuppressWarnings({"rawtypes", "unchecked"}) // as ND4J declares them
  private static Map<String, INDArray> statesOf(GradientUpdater updater) {
    return updater.getState();
  }

  @SuppressWarnings("rawtypes") // as ND4J declares them
  private static Map<String, Object> ofUpdaters(Map<String, GradientUpdater> updaters) throws Exception {
    Map<String, Object> facts = new TreeMap<>();
    if (updaters == null) {
      return facts;
    }
    for (Map.Entry<String, GradientUpdater> updater : updaters.entrySet()) {
      facts.put(updater.getKey(), ofArrays(statesOf(updater.getValue())));
    }
    return facts;
  }

  private static Map<String, Object> ofArrays(Map<String, INDArray> arrays) throws Exception {
    Map<String, Object> facts = new TreeMap<>();
    for (Map.Entry<String, INDArray> array : arrays.entrySet()) {
      facts.put(array.getKey(), ofArray(array.getValue()));
    }
    return facts;
  }

  static Map<String, Object> ofArray(INDArray array) throws Exception {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("dtype", name(array.dataType()));
    facts.put("shape", array.shape());
    facts.put("order", String.valueOf(array.ordering()));
    facts.put("empty", array.isEmpty());
    if (array.dataType() == DataType.UTF8) {
      List<String> texts = new ArrayList<>();
      for (long i = 0; i < array.length(); i++) {
        texts.add(array.getString(i));
      }
      facts.put("texts", texts);
    } else {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(Arrays.bytes(array));
      facts.put("sha256", HexFormat.of().formatHex(hash));
    }
    return facts;
  }

  private static Map<String, Object> ofValues(Map<String, INDArray> arrays) {
    Map<String, Object> facts = new TreeMap<>();
    for (Map.Entry<String, INDArray> array : arrays.entrySet()) {
      INDArray values = array.getValue().castTo(DataType.DOUBLE);
      facts.put(array.getKey(), Map.of("shape", values.shape(), "values", values.dup('c').data().asDouble()));
    }
    return facts;
  }

  /** What training changes. */
  @SuppressWarnings("rawtypes") // as ND4J declares them
  static Map<String, Object> ofTraining(SameDiff graph) {
    Map<String, INDArray> parameters = new LinkedHashMap<>();
    for (SDVariable variable : graph.variables()) {
      if (variable.getVariableType() == VariableType.VARIABLE) {
        parameters.put(variable.name(), variable.getArr());
      }
    }
    Map<String, Object> states = new TreeMap<>();
    for (Map.Entry<String, GradientUpdater> updater : graph.getUpdaterMap().entrySet()) {
      states.put(updater.getKey(), ofValues(statesOf(updater.getValue())));
    }
    return Map.of("iterations", graph.getTrainingConfig().getIterationCount(), "parameters", ofValues(parameters),
        "updater_state", states);
  }

  /** Runs a graph. Inputs follow from the names; a dimension of any size is 3. */
  static Map<String, Object> ofOutputs(SameDiff graph) throws Exception {
    Nd4j.getRandom().setSeed(1);
    Map<String, INDArray> inputs = new LinkedHashMap<>();
    for (String name : graph.inputs()) {
      SDVariable input = graph.getVariable(name);
      long[] shape = input.placeholderShape().clone();
      java.util.Arrays.setAll(shape, i -> shape[i] < 0 ? 3 : shape[i]);
      inputs.put(name, Arrays.random(new Random(name.hashCode()), input.dataType(), 'c', shape));
    }
    return ofValues(graph.output(inputs, ends(graph)));
  }

  /** What operations make and none takes; `outputs()` has none of a graph that is trained. */
  private static List<String> ends(SameDiff graph) {
    List<String> ends = new ArrayList<>();
    for (SDVariable variable : graph.variables()) {
      List<String> takers = graph.getVariables().get(variable.name()).getInputsForOp();
      if (variable.getVariableType() == VariableType.ARRAY && (takers == null || takers.isEmpty())) {
        ends.add(variable.name());
      }
    }
    return ends;
  }
}
