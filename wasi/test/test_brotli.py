"""The tables that src/brotli/encoder_dict.c makes are those of the library."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BROTLI = ROOT / "build" / "wasi" / "_sources" / "brotli" / "c"
PROGRAM = """
#include "encoder_dict.c"
int main(void) {
  BrotliEncoderDictionary made;
  BrotliInitEncoderDictionary(&made);
  return memcmp(made.buckets, kStaticDictionaryBuckets, sizeof kStaticDictionaryBuckets) != 0 ||
         memcmp(made.dict_words, kStaticDictionaryWords, sizeof kStaticDictionaryWords) != 0;
}
"""


def test_tables(tmp_path):
    source = tmp_path / "compare.c"
    source.write_text(PROGRAM)
    program = tmp_path / "compare"
    folders = [ROOT / "src" / "brotli", BROTLI / "include", BROTLI]
    subprocess.run(["gcc", "-w", *(f"-I{folder}" for folder in folders), source, *BROTLI.glob("common/*.c"),
                    BROTLI / "enc" / "dictionary_hash.c", "-o", program], check=True)
    assert subprocess.run([program]).returncode == 0
