"""exec over WebSocket (RFC 6455) in Kubernetes' words: the first byte of a message is its channel, 0 stdin, 1 stdout,
2 stderr, 3 the closing Status, 4 a terminal's size; under v5, 255 closes the channel named by the next byte."""
import base64
import json
import os
import socket
import struct
import urllib.parse

STDIN, STDOUT, STDERR, STATUS, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
BINARY, CLOSING, PING, PONG = 2, 8, 9, 10


class NoUpgrade(Exception):
    """The server answered with something else than 101."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text

    @property
    def message(self):
        try:
            return json.loads(self.text)["message"]
        except (ValueError, KeyError, TypeError):
            return self.text


class Exec:
    """One command in a container. `out`, `err` and `status` fill as it goes on."""

    def __init__(self, api, ns, pod, command, container=None, stdin=False, tty=False, protocol="v5.channel.k8s.io",
                 timeout=60):
        query = [("command", word) for word in command] + [("stdout", "true")]
        query += [("stderr", "true")] if not tty else [("tty", "true")]
        query += [("stdin", "true")] if stdin else []
        query += [("container", container)] if container else []
        self.out, self.err, self.status, self.buffer = b"", b"", None, b""
        raw = socket.create_connection((api.address.hostname, api.address.port), timeout=timeout)
        self.socket = api.tls.wrap_socket(raw, server_hostname=api.address.hostname)
        self._upgrade(api, f"/api/v1/namespaces/{ns}/pods/{pod}/exec?{urllib.parse.urlencode(query)}", protocol)

    def _upgrade(self, api, path, protocol):
        key = base64.b64encode(os.urandom(16)).decode()
        credentials = "".join(f"{name}: {value}\r\n" for name, value in api.credentials.items())
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {api.address.netloc}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                             f"{credentials}Sec-WebSocket-Protocol: {protocol}\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        code = int(lines[0].split()[1])
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if code != 101:
            length = int(headers.get("content-length", "0"))
            while len(self.buffer) < length:
                self._fill()
            raise NoUpgrade(code, self.buffer.decode(errors="replace"))
        self.protocol = headers.get("sec-websocket-protocol", "")

    def _fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the connection ended")
        self.buffer += data

    def _take(self, count):
        while len(self.buffer) < count:
            self._fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def _frame(self):
        """(final, opcode, payload)"""
        first, second = self._take(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self._take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._take(8))[0]
        return first & 0x80, first & 0x0F, self._take(size)

    def _send(self, opcode, payload):
        size = len(payload)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4)
        whole = int.from_bytes(payload, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        self.socket.sendall(head + mask + whole.to_bytes(size, "big"))

    def write(self, data):
        self._send(BINARY, bytes([STDIN]) + data)

    def close_stdin(self):
        """Half-close: v5's own word."""
        self._send(BINARY, bytes([CLOSE, STDIN]))

    def resize(self, width, height):
        self._send(BINARY, bytes([RESIZE]) + json.dumps({"Width": width, "Height": height}).encode())

    def step(self):
        """Reads one message; False when the other end is done."""
        data = b""
        while True:
            try:
                final, opcode, payload = self._frame()
            except ConnectionError:
                return False
            if opcode == CLOSING:
                return False
            if opcode == PING:
                self._send(PONG, payload)
                continue
            data += payload
            if final:
                break
        if not data:
            return True
        channel, rest = data[0], data[1:]
        if channel == STDOUT:
            self.out += rest
        elif channel == STDERR:
            self.err += rest
        elif channel == STATUS:
            self.status = json.loads(rest)
        return True

    def until(self, text):
        """Reads until stdout holds the text."""
        while text not in self.out:
            if not self.step():
                raise ConnectionError(f"ended before {text!r}: {self.out!r} {self.err!r} {self.status}")

    def finish(self):
        """Reads to the end. The exit code; None if the command did not run or its end is unknown."""
        while self.status is None:
            if not self.step():
                break
        # A well-behaved server closes after the Status; what follows it is read too, bounded by the timeout.
        while self.status is not None and self.step():
            pass
        self.close()
        return self.exit_code

    @property
    def exit_code(self):
        if self.status is None:
            return None
        if self.status.get("status") == "Success":
            return 0
        for cause in (self.status.get("details") or {}).get("causes") or []:
            if cause.get("reason") == "ExitCode":
                return int(cause["message"])
        return None

    def close(self):
        try:
            self._send(CLOSING, struct.pack(">H", 1000))
            self.socket.close()
        except OSError:
            pass
