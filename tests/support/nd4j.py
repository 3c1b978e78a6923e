"""ND4J itself as a process that answers questions, a line of JSON each (tests/interop/nd4j)."""

import fcntl
import json
import os
import pathlib
import select
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "interop" / "nd4j"


class Nd4jError(Exception):
    """What ND4J threw."""


def is_current(classpath):
    if not classpath.exists():
        return False
    newest = max(path.stat().st_mtime for path in [SOURCE / "pom.xml", *SOURCE.glob("src/*.java")])
    return classpath.stat().st_mtime > newest and all(map(os.path.exists, classpath.read_text().split(":")))


def build(folder):
    """Compiles the program, by one test process at a time; the class path."""
    folder.mkdir(parents=True, exist_ok=True)
    classpath = folder / "classpath"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current(classpath):
            classpath.unlink(missing_ok=True)
            subprocess.run(["mvn", "--batch-mode", "--quiet", "--no-transfer-progress", f"-Dout={folder}",
                            f"-Dmdep.outputFile={classpath}", "compile", "dependency:build-classpath"],
                           cwd=SOURCE, check=True)
    return f"{folder / 'classes'}:{classpath.read_text()}"


class Nd4j:
    def __init__(self, folder):
        classpath = build(folder)
        self.log = folder / f"log.{os.getpid()}"
        answers, write_end = os.pipe()
        command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                   f"-Dorg.bytedeco.javacpp.cachedir={folder / 'native'}", "-cp", classpath,
                   "Main", f"/dev/fd/{write_end}"]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log,
                                            pass_fds=[write_end], env=dict(os.environ, OMP_NUM_THREADS="1"))
        os.close(write_end)
        self.answers = open(answers, "rb")

    def ask(self, question, **parts):
        line = json.dumps(parts | {"do": question}, default=str) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        ready, _, _ = select.select([self.answers], [], [], 300)
        answer = self.answers.readline() if ready else b""
        assert answer, f"ND4J does not answer: {self.log.read_text()[-2000:]}"
        answer = json.loads(answer)
        if "error" in answer:
            raise Nd4jError(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.answers.close()
        self.log.unlink()
