"""relay.py SOCKET: carries normcheck's protocol between its stdin and stdout and a function in the process that listens there."""
import os
import socket
import sys
import threading


def carry(receive, send, close):
    while data := receive():
        send(data)
    close()


def write_all(data):
    while data:
        data = data[os.write(1, data):]


if __name__ == "__main__":
    line = socket.socket(socket.AF_UNIX)
    line.connect(sys.argv[1])
    inwards = (lambda: os.read(0, 1 << 16), line.sendall, lambda: line.shutdown(socket.SHUT_WR))
    threading.Thread(target=carry, args=inwards, daemon=True).start()
    carry(lambda: line.recv(1 << 16), write_all, lambda: None)
