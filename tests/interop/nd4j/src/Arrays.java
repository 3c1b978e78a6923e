import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.bytedeco.javacpp.BytePointer;
import org.nd4j.graph.FlatArray;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Arrays: read from files, made at random, and their bytes. */
final class Arrays {
  private Arrays() {}

  /** A FlatArray, or what a name in .npy says. */
  static INDArray ofFile(String name) throws Exception {
    byte[] content = Files.readAllBytes(Path.of(name));
    if (name.endsWith(".npy")) {
      return Nd4j.createNpyFromByteArray(content);
    }
    ByteBuffer buffer = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    return Nd4j.createFromFlatArray(FlatArray.getRootAsFlatArray(buffer));
  }

  /** The elements as they are in memory (little-endian), in row-major order. */
  static byte[] bytes(INDArray array) {
    if (array.isEmpty()) {
      return new byte[0];
    }
    INDArray dense = array.dup('c');
    byte[] bytes = new byte[Math.toIntExact(dense.length() * dense.dataType().width())];
    new BytePointer(dense.data().addressPointer()).capacity(bytes.length).get(bytes);
    return bytes;
  }

  static INDArray random(Random random, DataType type, char order, long... shape) {
    INDArray values = Nd4j.createUninitialized(DataType.DOUBLE, shape, order);
    for (long i = 0; i < values.length(); i++) {
      double value = 2 * random.nextDouble() - 1;
      values.putScalar(i, type.isFPType() ? value : Math.floor(type.isSigned() ? 100 * value : 100 + 100 * value));
    }
    return values.castTo(type);
  }
}
