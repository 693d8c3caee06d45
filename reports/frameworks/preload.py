"""Starts an adapter's processes by a fork of one that has its framework imported already: some frameworks take seconds for that, and normcheck
starts an adapter anew for each law and after each fault.

As a program it stands in for the adapter: preload.py SOCKET. It hands its stdin, stdout and stderr to the process that serve_forks() keeps
there, and ends as the fork ends. normcheck's own limit on a call holds: it ends this program, and the fork ends with its stdin."""
import json
import os
import signal
import socket
import sys


def become(message, files):
    for target, given in enumerate(files):
        os.dup2(given, target)
        os.close(given)
    os.environ.update(json.loads(message))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def keep(connection, listener):
    """In the first fork: the second one goes on as the adapter; this one waits for its end and tells it."""
    message, files, _, _ = socket.recv_fds(connection, 65536, 3)
    listener.close()
    become(message, files)
    child = os.fork()
    if child == 0:
        connection.close()
        return
    for target in range(3):
        os.close(target)
    _, status = os.waitpid(child, 0)
    connection.sendall(str(status).encode())
    os._exit(0)


def serve_forks(path):
    """Returns in each fork, whose stdin, stdout and stderr are those of the program that asked; never in the process that was called."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".partial")
    listener.listen(64)
    os.rename(path + ".partial", path)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            keep(connection, listener)
            return
        connection.close()


def ask(path):
    """The wait status of the fork, or 0 where the process that keeps the socket is gone."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    facts = {name: os.environ[name] for name in ("NORMCHECK_FRAMEWORK_FACTS",) if name in os.environ}
    socket.send_fds(connection, [json.dumps(facts).encode()], [0, 1, 2])
    for target in range(2):
        os.close(target)  # else the fork's end would not be seen on them
    return int(connection.recv(16) or b"0")


if __name__ == "__main__":
    ended = ask(sys.argv[1])
    if os.WIFSIGNALED(ended):
        signal.signal(os.WTERMSIG(ended), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(ended))
    os._exit(os.WEXITSTATUS(ended))
