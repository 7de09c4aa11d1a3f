"""A client for Uncial, which reads text from images of historical documents. It needs nothing but Python 3.9 or later.

    import uncial

    client = uncial.Client("http://127.0.0.1:8080/api/v1", key="ocr_live_...")
    result = client.extract("https://images.example.org/page-001.jpg", language="de-Latf")
    print(result.text, result.confidence)

Errors that the contract names are subclasses of ApiError, one for each `code`. Failures that may be temporary are retried: no
answer, a damaged answer, 429, 500, and images that temporarily cannot be fetched. Every extraction carries an
Idempotency-Key, so it is charged at most once, however often it is retried.
"""
import base64
import dataclasses
import functools
import http.client
import io
import json
import mimetypes
import os
import queue
import random
import socket
import threading
import time
import typing
import urllib.error
import urllib.parse
import urllib.request
import uuid

__all__ = ["Client", "Extraction", "Edit", "WeakPlace", "Box", "Status", "RateLimit", "Error", "ApiError", "InvalidRequest", "InvalidApiKey",
           "InsufficientPoints", "RateLimited", "ServerError", "NoAnswer", "Progress"]

MAX_ANSWER = 128 << 20  # bytes of an answer


class Error(Exception):
    """Base class of all failures of a call."""


class NoAnswer(Error):
    """The server gave no valid answer. The extraction may have been charged; repeating the call with the same Idempotency-Key costs
    nothing more."""

    def __init__(self, message: str, idempotency_key: typing.Optional[str] = None):
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ApiError(Error):
    """An error that the contract names. `body` is the answer as the server gave it."""
    code = ""

    def __init__(self, status: int, body: dict, retry_after: typing.Optional[float]):
        super().__init__(f"{body.get('error', 'the request failed')} ({body.get('message', status)})")
        self.status, self.body, self.retry_after = status, body, retry_after

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return False


class InvalidRequest(ApiError):
    """400: a field is wrong (`details` says which), or the image cannot be read or fetched (`fetch` says why)."""
    code = "INVALID_REQUEST"

    @property
    def details(self) -> typing.Dict[str, str]:
        return self.body.get("details") or {}

    @property
    def fetch(self) -> typing.Optional[dict]:
        return self.body.get("fetch")

    @property
    def retryable(self) -> bool:
        return bool((self.fetch or {}).get("retryable"))


class InvalidApiKey(ApiError):
    """401: the key is missing, unknown, expired or revoked, its account is suspended, or it is used from outside its IP ranges."""
    code = "INVALID_API_KEY"


class InsufficientPoints(ApiError):
    """402: too few points remain (`remaining_points`) until `next_reset`, an RFC 3339 time."""
    code = "INSUFFICIENT_POINTS"

    @property
    def remaining_points(self) -> int:
        return self.body.get("remainingPoints", 0)

    @property
    def next_reset(self) -> typing.Optional[str]:
        return self.body.get("nextReset")


class RateLimited(ApiError):
    """429: too many requests in this window."""
    code = "RATE_LIMITED"
    retryable = True


class ServerError(ApiError):
    """500: the server failed, or is busy."""
    code = "SERVER_ERROR"
    retryable = True


_ERRORS = {e.code: e for e in (InvalidRequest, InvalidApiKey, InsufficientPoints, RateLimited, ServerError)}


@dataclasses.dataclass(frozen=True)
class Box:
    """A rectangle in pixels of the upright page."""
    x: int
    y: int
    width: int
    height: int


@dataclasses.dataclass(frozen=True)
class Edit:
    """A correction that the enhancement made."""
    page: int
    box: Box
    before: str
    after: str
    rule: str
    confidence: float


@dataclasses.dataclass(frozen=True)
class WeakPlace:
    """A place whose reading is likely to be wrong or incomplete. Later servers may know further reasons."""
    page: int
    box: Box
    confidence: float
    reason: str
    text: str      # "" where nothing was read
    rotation: int  # degrees clockwise by which the image must be turned for the box; 0 if it is upright


@dataclasses.dataclass(frozen=True)
class Extraction:
    """What was read. `body` is the whole answer, with fields that this client does not know."""
    text: str
    language: str
    confidence: float
    enhanced: bool
    document: typing.Optional[str]
    edits: typing.Tuple[Edit, ...]
    weak: typing.Tuple[WeakPlace, ...]  # the least certain first
    points_used: int
    remaining_points: int
    processing_time: int  # milliseconds
    body: dict = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class RateLimit:
    limit: int
    remaining: int
    reset: int  # Unix time in seconds


@dataclasses.dataclass(frozen=True)
class Status:
    """Plan, points and rate limit of the key's account."""
    plan: str
    points_used: int
    points_remaining: int
    points_total: int
    rate_limit: RateLimit
    body: dict = dataclasses.field(repr=False)


class Progress(typing.NamedTuple):
    """What `extract_all` has done so far."""
    done: int
    failed: int
    total: typing.Optional[int]  # None if the images have no length
    points_used: int


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key must not follow a redirect to another server."""

    def redirect_request(self, *args):
        return None


class _Stream(io.RawIOBase):
    """The bytes that a connection receives, until a deadline."""

    def __init__(self, raw, sock, end):
        self._raw, self._sock, self._end = raw, sock, end

    def readable(self):
        return True

    def readinto(self, buffer):
        self._sock.settimeout(_left(self._end))
        return self._raw.readinto(buffer)

    def close(self):
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """An answer whose headers and body are complete before a deadline."""

    def __init__(self, end, sock, *args, **kwargs):
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_Stream(self.fp.detach(), sock, end))


class _Http(http.client.HTTPConnection):
    """A connection whose timeout bounds all of its steps together; the timeout of http.client bounds each read on its own."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._end = time.monotonic() + self.timeout
        self.response_class = functools.partial(_Response, self._end)
        self._create_connection = functools.partial(_connect, self._end)

    def connect(self):
        super().connect()
        self.sock.settimeout(_left(self._end))  # for the TLS handshake

    def send(self, data):
        if self.sock is not None:
            self.sock.settimeout(_left(self._end))
        super().send(data)


class _Https(http.client.HTTPSConnection, _Http):
    """An _Http connection with TLS: HTTPSConnection.connect calls _Http.connect before the handshake."""


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request):
        return self.do_open(_Http, request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request):
        return self.do_open(_Https, request)


def _look_up(end, host, port) -> list:
    """Returns the addresses of a host in the form of socket.getaddrinfo. That function has no time limit, so it runs in a thread
    that may outlive the deadline."""
    found = queue.SimpleQueue()

    def look_up():
        try:
            found.put(socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM))
        except Exception as e:  # raised below, in the thread of the caller
            found.put(e)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        result = found.get(timeout=_left(end))
    except queue.Empty:
        raise TimeoutError(f"the address of {host} could not be found in time") from None
    if isinstance(result, Exception):
        raise result
    return result


def _connect(end, address, *_):
    """Connects a socket to a host before a deadline. It tries the addresses of the host in turn."""
    failure = OSError(f"{address[0]} has no address")
    for family, kind, protocol, _, target in _look_up(end, *address):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(_left(end))
            sock.connect(target)
            return sock
        except OSError as e:
            sock.close()
            failure = e
    raise failure


def _left(end) -> float:
    """Returns the seconds until a deadline, and raises TimeoutError once it has passed."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the answer did not arrive in time")
    return left


class Client:
    """A server and a key.

    base_url: address of the API, such as "http://127.0.0.1:8080/api/v1".
    key:      the API key; by default that of the environment variable UNCIAL_KEY.
    timeout:  seconds that one attempt may take.
    attempts: maximum number of attempts of a call.
    patience: maximum total time in seconds that a call waits between its attempts.
    """

    def __init__(self, base_url: str, key: typing.Optional[str] = None, *, timeout: float = 120, attempts: int = 4, patience: float = 120,
                 sleep: typing.Callable[[float], None] = time.sleep):
        key = key or os.environ.get("UNCIAL_KEY", "")
        if urllib.parse.urlsplit(base_url).scheme not in ("http", "https"):
            raise ValueError("base_url must begin with http:// or https://")
        if not key:
            raise ValueError("key is missing: pass key=..., or set UNCIAL_KEY")
        if not all("!" <= c <= "~" for c in key):
            raise ValueError("key has characters that keys cannot have, such as spaces, line ends or letters with accents")
        if attempts < 1 or timeout <= 0:
            raise ValueError("attempts must be at least 1, and timeout greater than 0")
        self._base, self._key = base_url.rstrip("/"), key
        self._timeout, self._attempts, self._patience, self._sleep = timeout, attempts, patience, sleep
        self._opener = urllib.request.build_opener(_NoRedirect, _HttpHandler, _HttpsHandler)

    def status(self) -> Status:
        """Returns plan, points and rate limit of the account."""
        return self._call(_status, "GET", "/status")

    def extract(self, image: typing.Union[str, os.PathLike, bytes], *, language: str = "en", enhance: bool = False, format: str = "json",
                idempotency_key: typing.Optional[str] = None) -> Extraction:
        """Reads an image: an address (http, https or data), the path of a file, or the bytes of one."""
        request = {"imageUrl": _url(image), "language": language, "enhance": enhance, "format": format}
        return self._call(_extraction, "POST", "/extract", request, idempotency_key or str(uuid.uuid4()))

    def extract_all(self, images: typing.Iterable, *, progress: typing.Optional[typing.Callable[[Progress], None]] = None, **options):
        """Reads images one after the other and yields (image, Extraction or Error). It raises a 401 or 402, because every further
        image would get the same."""
        total = len(images) if hasattr(images, "__len__") else None
        done = failed = points = 0
        for image in images:
            try:
                result = self.extract(image, **options)
                done, points = done + 1, points + result.points_used
            except (InvalidApiKey, InsufficientPoints):
                raise
            except Error as e:
                result, failed = e, failed + 1
            if progress:
                progress(Progress(done, failed, total, points))
            yield image, result

    def _call(self, parse, method, path, request=None, idempotency_key=None):
        waited = 0.0
        for attempt in range(1, self._attempts + 1):
            try:
                return self._attempt(parse, method, path, request, idempotency_key)
            except (ApiError, NoAnswer) as e:
                if isinstance(e, ApiError) and not e.retryable:
                    raise
                pause = getattr(e, "retry_after", None)
                if pause is None:
                    pause = 2 ** (attempt - 1) * (.5 + random.random() / 2)
                if attempt == self._attempts or waited + pause > self._patience:
                    raise
            self._sleep(pause)
            waited += pause
        raise AssertionError("unreachable")

    def _attempt(self, parse, method, path, request, idempotency_key):
        headers = {"Authorization": "Bearer " + self._key, "Accept": "application/json"}
        data = None
        if request is not None:
            headers["Content-Type"], data = "application/json", json.dumps(request).encode()
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        call = urllib.request.Request(self._base + path, data, headers, method=method)
        try:
            try:
                answer = self._opener.open(call, timeout=self._timeout)
            except urllib.error.HTTPError as e:
                answer = e
            with answer:
                status, got, text = answer.status, answer.headers, _read(answer)
        except (urllib.error.URLError, http.client.HTTPException, socket.timeout, TimeoutError, OSError) as e:
            raise NoAnswer(f"no answer from {self._base}: {getattr(e, 'reason', e) or type(e).__name__}", idempotency_key) from e
        try:
            body = json.loads(text)
            if body["success"] is not (status == 200):
                raise ValueError("success contradicts the status")
            if status == 200:
                return parse(body)
            error = _ERRORS.get(body.get("code"), ApiError)(status, body, _retry_after(body, got))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise NoAnswer(f"{self._base} answered {status} with something the contract does not define", idempotency_key) from e
        raise error


def _read(answer) -> bytes:
    """Reads a body until it is complete, at most MAX_ANSWER bytes."""
    parts, size = [], 0
    while True:
        part = answer.read1(1 << 16) if hasattr(answer, "read1") else answer.read(1 << 16)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER:
            raise http.client.HTTPException(f"the answer has more than {MAX_ANSWER >> 20} MiB")
    announced = answer.headers.get("Content-Length")
    if announced is not None and announced.isdigit() and int(announced) != size:
        raise http.client.IncompleteRead(b"", int(announced) - size)
    return b"".join(parts)


def _retry_after(body, headers):
    wait = (body.get("fetch") or {}).get("retryAfter") or headers.get("Retry-After")
    try:
        return max(0.0, float(wait))
    except (TypeError, ValueError):
        return None


def _status(b) -> Status:
    rate = b["rateLimit"]
    return Status(b["plan"], b["pointsUsed"], b["pointsRemaining"], b["pointsTotal"],
                  RateLimit(rate["limit"], rate["remaining"], rate["reset"]), b)


def _extraction(b) -> Extraction:
    edits = tuple(Edit(e["page"], _box(e["box"]), e["before"], e["after"], e["rule"], e["confidence"]) for e in b.get("edits") or ())
    weak = tuple(WeakPlace(w["page"], _box(w["box"]), w["confidence"], w["reason"], w.get("text", ""), w.get("rotation", 0))
                 for w in b.get("weak") or ())
    return Extraction(b["text"], b["language"], b["confidence"], b["enhanced"], b.get("document"), edits, weak, b["pointsUsed"],
                      b["remainingPoints"], b["processingTime"], b)


def _box(b) -> Box:
    return Box(b["x"], b["y"], b["width"], b["height"])


def _url(image) -> str:
    """Returns the address of an image; files and bytes become data: URLs."""
    if isinstance(image, str) and urllib.parse.urlsplit(image).scheme.lower() in ("http", "https", "data"):
        return image
    kind = "application/octet-stream"
    if not isinstance(image, (bytes, bytearray)):
        kind = mimetypes.guess_type(os.fspath(image))[0] or kind
        with open(image, "rb") as f:
            image = f.read()
    return f"data:{kind};base64,{base64.b64encode(image).decode()}"
