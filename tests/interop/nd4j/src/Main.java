import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** Answers questions, a line of JSON each, about SameDiff graphs: by ND4J alone. */
final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The argument is where answers go; ND4J prints to the other streams. */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = new PrintStream(new FileOutputStream(arguments[0]), true, StandardCharsets.UTF_8);
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = questions.readLine(); line != null; line = questions.readLine()) {
      answers.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
    }
  }

  private static Map<String, Object> answer(JsonNode question) {
    try {
      return switch (question.path("do").asText()) {
        case "save" -> save(question);
        case "load" -> Facts.ofGraph(load(question));
        case "run" -> Facts.ofOutputs(load(question));
        case "train" -> train(question);
        case "arrays" -> arrays(question);
        default -> throw new IllegalArgumentException("no such question");
      };
    } catch (Exception | StackOverflowError e) {
      e.printStackTrace();
      return Map.of("error", e.toString());
    }
  }

  /** Makes a graph and saves it: the facts are those of the objects in memory. */
  private static Map<String, Object> save(JsonNode question) throws Exception {
    SameDiff graph = Graphs.make(question.path("graph").asText(), question.path("seed").asInt());
    Map<String, Object> facts = Facts.ofGraph(graph);
    graph.save(new File(question.path("file").asText()), question.path("updater").asBoolean());
    return facts;
  }

  /** A graph from a file, and what other files have for it. */
  private static SameDiff load(JsonNode question) throws Exception {
    SameDiff graph = SameDiff.load(new File(question.path("file").asText()), true);
    for (Map.Entry<String, INDArray> parameter : arraysOf(question.path("parameters")).entrySet()) {
      graph.setArrayForVariable(parameter.getKey(), parameter.getValue());
    }
    if (question.has("training")) {
      Training.configure(graph, question.path("training").asText());
    }
    return graph;
  }

  /** One more step of training, from the parameters and the updater's state that there are. */
  private static Map<String, Object> train(JsonNode question) throws Exception {
    SameDiff graph = load(question);
    if (question.has("updater")) {
      Training.initialize(graph);
      for (Map.Entry<String, JsonNode> state : fields(question.path("updater")).entrySet()) {
        Training.setState(graph, state.getKey(), arraysOf(state.getValue()));
      }
    }
    Training.step(graph, new Random(1));
    return Facts.ofTraining(graph);
  }

  private static Map<String, Object> arrays(JsonNode question) throws Exception {
    Map<String, Object> facts = new LinkedHashMap<>();
    for (JsonNode file : question.path("files")) {
      facts.put(file.asText(), Facts.ofArray(Arrays.ofFile(file.asText())));
    }
    return facts;
  }

  private static Map<String, INDArray> arraysOf(JsonNode files) throws Exception {
    Map<String, INDArray> arrays = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> file : fields(files).entrySet()) {
      arrays.put(file.getKey(), Arrays.ofFile(file.getValue().asText()));
    }
    return arrays;
  }

  private static Map<String, JsonNode> fields(JsonNode object) {
    Map<String, JsonNode> fields = new LinkedHashMap<>();
    object.fields().forEachRemaining(field -> fields.put(field.getKey(), field.getValue()));
    return fields;
  }
}
