"""Requests that two readers take for different ones: unknown codings of a body, and folded lines."""
import re
import socket

from attacks import attack


def talk(world, text):
    """What the server answers to these bytes, until it ends the connection or has no more to say."""
    api = world.machine.api
    with socket.create_connection((api.address.hostname, api.address.port), timeout=5) as raw, \
            api.tls.wrap_socket(raw, server_hostname=api.address.hostname) as line:
        line.sendall(text.encode())
        line.settimeout(1)
        said = b""
        try:
            while got := line.recv(65536):
                said += got
        except (TimeoutError, socket.timeout):
            pass
    return said.decode(errors="replace")


def codes(said):
    return [int(code) for code in re.findall(r"HTTP/1\.1 (\d+)", said)]


@attack("unknown codings are refused")
def smuggles_a_request(world):
    """In a body whose coding the server does not know: a proxy that knows it sees one request, the server two."""
    inner = "GET /version HTTP/1.1\r\nHost: a\r\nX: "
    said = talk(world, "POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"
                       f"{inner}\r\n\r\n")
    return said if len(codes(said)) > 1 else None


@attack("folded header lines are refused")
def hides_a_header_in_a_fold(world):
    """A line that goes on in the next one: some readers see a header more there."""
    said = talk(world, "GET /version HTTP/1.1\r\nHost: a\r\nX-Harmless: a\r\n Authorization: Bearer b\r\n"
                       "Connection: close\r\n\r\n")
    return said if codes(said) == [200] else None
