"""Tests that a process started by preload.py behaves as one of its own: its streams, its environment, its end, several at once."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent.parent
KEEPER = f"""
import os, sys
sys.path.insert(0, {str(HERE)!r})
import preload
preload.serve_forks(sys.argv[1])
for line in sys.stdin:
    if line == "die\\n":
        os.abort()
    if line == "three\\n":
        sys.exit(3)
    print(os.getpid(), os.environ["NORMCHECK_FRAMEWORK_FACTS"], line.strip(), flush=True)
    print("said", line.strip(), file=sys.stderr)
"""


class Preload(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = os.path.join(self.folder.name, "forks")
        self.keeper = subprocess.Popen([sys.executable, "-c", KEEPER, self.socket], stdin=subprocess.DEVNULL)
        while not os.path.exists(self.socket):
            self.assertIsNone(self.keeper.poll())
            time.sleep(0.01)

    def tearDown(self):
        self.keeper.kill()
        self.keeper.wait()
        self.folder.cleanup()

    def start(self, facts="here"):
        return subprocess.Popen([sys.executable, str(HERE / "preload.py"), self.socket], env=os.environ | {"NORMCHECK_FRAMEWORK_FACTS": facts}, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_carries_streams_and_the_facts_folder(self):
        out, err = self.start("there").communicate("hello\nworld\n", timeout=60)
        self.assertEqual([line.split()[1:] for line in out.splitlines()], [["there", "hello"], ["there", "world"]])
        self.assertEqual(err, "said hello\nsaid world\n")

    def test_ends_as_the_fork_ends(self):
        for asked, status in (("", 0), ("three\n", 3), ("die\n", -signal.SIGABRT)):
            process = self.start()
            process.communicate(asked, timeout=60)
            self.assertEqual(process.returncode, status, asked)

    def test_serves_several_at_once(self):
        processes = [self.start() for _ in range(3)]
        for number, process in enumerate(processes):
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
        answers = [process.stdout.readline().split() for process in processes]
        self.assertEqual([answer[2] for answer in answers], ["0", "1", "2"])
        self.assertEqual(len({answer[0] for answer in answers}), 3)
        for process in processes:
            process.communicate(timeout=60)

    def test_the_fork_ends_with_the_program_that_asked(self):
        process = self.start()
        process.stdin.write("a\n")
        process.stdin.flush()
        fork = int(process.stdout.readline().split()[0])
        process.kill()
        process.stdin.close()
        for stream in (process.stdout, process.stderr):
            stream.close()
        process.wait()
        for _ in range(1000):
            try:
                os.kill(fork, 0)
            except ProcessLookupError:
                return
            time.sleep(0.01)
        self.fail("the fork outlives the program that asked for it")


if __name__ == "__main__":
    unittest.main()
