"""A node that the test plays: kubelet's path for exec alone. Commands really run, on this machine; what becomes of
their streams the case says."""
import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import subprocess
import threading
import urllib.parse

STDIN, STDOUT, STDERR, STATUS, CLOSE = 0, 1, 2, 3, 255
BINARY, CLOSING, PING = 2, 8, 9
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
SUCCESS = {"metadata": {}, "status": "Success"}


class Stream:
    """One exec, as its node has it."""

    def __init__(self, connection):
        self.connection, self.buffer, self.lock = connection, b"", threading.Lock()
        head = self._until(b"\r\n\r\n").decode()
        lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        path = urllib.parse.urlsplit(lines[0].split()[1])
        query = urllib.parse.parse_qsl(path.query, keep_blank_values=True)
        self.pod = path.path.split("/")[3]
        self.command = [value for name, value in query if name == "command"]
        key = base64.b64encode(hashlib.sha1(headers["sec-websocket-key"].encode() + MAGIC).digest()).decode()
        protocol = headers["sec-websocket-protocol"].split(",")[0].strip()
        connection.sendall((f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Accept: {key}\r\nSec-WebSocket-Protocol: {protocol}\r\n\r\n").encode())

    def _until(self, mark):
        while mark not in self.buffer:
            self._fill()
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def _fill(self):
        data = self.connection.recv(65536)
        if not data:
            raise ConnectionError("the server is gone")
        self.buffer += data

    def _take(self, count):
        while len(self.buffer) < count:
            self._fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def _send(self, opcode, payload):
        size = len(payload)
        head = bytes([0x80 | opcode]) + (bytes([size]) if size < 126 else bytes([126]) + struct.pack(">H", size))
        with self.lock:
            self.connection.sendall(head + payload)

    def message(self):
        """(channel, bytes); None when the server has closed."""
        data = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size >= 126:
                size = struct.unpack(">H", self._take(2))[0] if size == 126 else struct.unpack(">Q", self._take(8))[0]
            mask, payload = self._take(4), self._take(size)
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
            if first & 0x0F == CLOSING:
                return None
            if first & 0x0F == PING:
                self._send(10, payload)
                continue
            data += payload
            if first & 0x80:
                return data[0], data[1:]

    def say(self, channel, data):
        for at in range(0, len(data), 30000):
            self._send(BINARY, bytes([channel]) + data[at:at + 30000])

    def end(self, status=None, close=1000):
        if status is not None:
            self.say(STATUS, json.dumps(status).encode())
        self._send(CLOSING, struct.pack(">H", close))

    def feed(self, process, most=None):
        """What the server sends as input; of more than `most` bytes the rest is lost on the way."""
        try:
            while (got := self.message()) is not None and got != (CLOSE, bytes([STDIN])):
                if got[0] == STDIN:
                    taken = got[1] if most is None else got[1][:most]
                    most = None if most is None else most - len(taken)
                    process.stdin.write(taken)
        except (OSError, ValueError):
            pass
        finally:
            try:
                process.stdin.close()
            except OSError:
                pass

    def play(self, most=None, most_input=None, told=True, path=None):
        """Runs the command, with the programs of `path` if it is given. Of its output `most` bytes come at most; then,
        as at its end, the node says how it ended: that it ended well if something was lost. With told=False it says
        nothing."""
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **({"PATH": str(path)} if path else {})})
        feeder = threading.Thread(target=self.feed, args=(process, most_input), daemon=True)
        feeder.start()
        came, lost = 0, False
        while data := process.stdout.read1(65536):
            keep = data if most is None else data[:most - came]
            came += len(keep)
            self.say(STDOUT, keep)
            lost = lost or len(keep) < len(data)
        code = process.wait()
        self.say(STDERR, process.stderr.read()[-2000:] or b" ")
        status = SUCCESS if lost or code == 0 else {
            "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode", "message": f"exit code {code}",
            "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]}}
        self.end(status if told else None)


class FalseNode:
    """`plays[pod]` is called with each Stream of that pod; without one commands just run."""

    def __init__(self, machine, folder, name):
        self.machine, self.name, self.plays = machine, name, {}
        certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", f"/CN={name}", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        self.listener = tls.wrap_socket(socket.create_server(("127.0.0.1", 0)), server_side=True)
        threading.Thread(target=self._serve, daemon=True).start()
        machine.api.create("/api/v1/nodes", {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "annotations": {
                "node.holdfast.dev/serving-certificate": certificate.read_text(encoding="utf-8")}},
            "spec": {"unschedulable": True}})
        machine.api.merge(f"/api/v1/nodes/{name}/status", {"status": {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self.listener.getsockname()[1]}}}})

    def close(self):
        self.listener.close()

    def pod(self, tenant, name, play=None):
        """A pod of the tenant's that this node is said to run."""
        self.plays[name] = play
        body = tenant.pod(name, "exec sleep 100000", nodeName=self.name)
        tenant.create(body)
        self.machine.api.merge(f"{tenant.path('Pod', name)}/status", {"status": {"phase": "Running"}})

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except ssl.SSLError:
                continue
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        try:
            with connection:
                stream = Stream(connection)
                (self.plays.get(stream.pod) or Stream.play)(stream)
        except (OSError, ConnectionError):
            pass  # whoever asked is gone
