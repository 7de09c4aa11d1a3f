"""Tests of the client against a server: UNCIAL_URL names it. With UNCIAL_MOCK=1 it is the mock, whose keys and images cause every error.
UNCIAL_SERVICE has keys, images and damaged answers of a real service."""
import http.server
import json
import os
import pathlib
import socket
import socketserver
import tempfile
import threading
import time
import unittest
import unittest.mock
import uuid

import uncial

URL = os.environ["UNCIAL_URL"]
MOCK = os.environ.get("UNCIAL_MOCK") == "1"
SERVICE = json.loads(os.environ.get("UNCIAL_SERVICE", "null"))


class CallTest(unittest.TestCase):
    """calls that any server answers"""

    def setUp(self):
        self.client = uncial.Client(URL, attempts=3, patience=1)

    def test_status(self):
        s = self.client.status()
        self.assertEqual(s.points_total, s.points_used + s.points_remaining)
        self.assertGreaterEqual(s.rate_limit.limit, s.rate_limit.remaining)

    def test_wrong_key(self):
        with self.assertRaises(uncial.InvalidApiKey):
            uncial.Client(URL, "ocr_live_unknown").status()

    def test_wrong_field(self):
        with self.assertRaises(uncial.InvalidRequest) as e:
            self.client.extract("https://images.example.org/1.jpg", language="tlh")
        self.assertIn("language", e.exception.details)
        self.assertIsNone(e.exception.fetch)

    def test_file_that_is_no_image(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.jpg")
            path.write_text("not an image")
            with self.assertRaises(uncial.InvalidRequest) as e:
                self.client.extract(path)
        self.assertIn("imageUrl", e.exception.details)

    def test_arguments(self):
        for wrong in ({"base_url": "ftp://host"}, {"base_url": URL, "key": "caf\u00e9"}, {"base_url": URL, "key": "a b"}, {"base_url": URL, "attempts": 0}):
            with self.assertRaises(ValueError):
                uncial.Client(**{"key": "k", **wrong})
        with self.assertRaises(uncial.NoAnswer) as e:
            uncial.Client("http://127.0.0.1:1", "k", attempts=1).status()
        self.assertIn("127.0.0.1:1", str(e.exception))


class LiarTest(unittest.TestCase):
    """answers that are JSON but break the contract"""

    def test_damaged_json_is_no_answer(self):
        answers = [(200, '{"success": true}'), (200, '{"success": true, "text": "t", "edits": 5}'), (200, "[1]"), (200, "5"),
                   (200, '{"success": true, "a": ' + "[" * 100_000 + "]" * 100_000 + "}"), (400, '{"success": false, "code": ["x"]}'),
                   (400, '{"success": false, "code": "INVALID_REQUEST", "fetch": "x"}')]
        answer = None

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(answer[0])
                self.end_headers()
                self.wfile.write(answer[1].encode())

            def log_message(self, *args):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            client = uncial.Client(f"http://127.0.0.1:{server.server_port}", "k", attempts=1)
            for answer in answers:
                with self.subTest(answer[1][:40]), self.assertRaises(uncial.NoAnswer) as e:
                    client.extract("https://images.example.org/1.jpg", idempotency_key="page-1")
                self.assertEqual(e.exception.idempotency_key, "page-1")
            server.shutdown()


class LookUpTest(unittest.TestCase):
    """names of hosts"""

    def test_timeout_bounds_the_look_up(self):
        released = threading.Event()
        self.addCleanup(released.set)
        with unittest.mock.patch("socket.getaddrinfo", lambda *_: released.wait()), self.assertRaises(uncial.NoAnswer) as e:
            uncial.Client("http://slow.example.org", "k", attempts=1, timeout=.2).status()
        self.assertIn("slow.example.org could not be found in time", str(e.exception))

    def test_every_address_is_tried(self):
        with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with socket.socket() as closed:
                closed.bind(("127.0.0.1", 0))  # bound and not listening, so that connections are refused
                found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", s.getsockname()) for s in (closed, server.socket)]
                with unittest.mock.patch("socket.getaddrinfo", lambda *_: found), self.assertRaises(uncial.Error) as e:
                    uncial.Client("http://two.example.org", "k", attempts=1).status()
            server.shutdown()
        self.assertIn("501", str(e.exception))  # the answer of a server without do_GET


class DripTest(unittest.TestCase):
    """answers that arrive byte by byte and never end"""

    def test_timeout_bounds_the_whole_attempt(self):
        for begin in (b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\n\r\n"):
            class Handler(socketserver.BaseRequestHandler):
                def handle(self):
                    try:
                        self.request.sendall(begin)
                        while True:
                            self.request.sendall(b"x")
                            time.sleep(.05)
                    except OSError:  # the client has left
                        pass

            with self.subTest(begin), socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
                threading.Thread(target=server.serve_forever, daemon=True).start()
                client = uncial.Client(f"http://127.0.0.1:{server.server_address[1]}", "k", attempts=1, timeout=.5)
                with self.assertRaises(uncial.NoAnswer) as e:
                    client.extract("https://images.example.org/1.jpg", idempotency_key="page-1")
                self.assertEqual(e.exception.idempotency_key, "page-1")
                self.assertRegex(str(e.exception), "in time|timed out")
                server.shutdown()


@unittest.skipUnless(MOCK, "only the mock has these keys and images")
class MockTest(unittest.TestCase):
    def client(self, key="ok", **options):
        self.suffix = uuid.uuid4().hex[:12]
        return uncial.Client(URL, f"ocr_test_{key}_{self.suffix}", **{"attempts": 3, "patience": 1, "sleep": lambda s: None, **options})

    def test_extract(self):
        client = self.client()
        result = client.extract("http://mock.invalid/difficult", language="de-Latf", enhance=True, format="alto")
        self.assertTrue(result.text)
        self.assertTrue(result.enhanced)
        self.assertIn("<alto", result.document)
        self.assertGreater(len(result.edits), 0)
        self.assertGreater(result.edits[0].box.width, 0)
        self.assertEqual(client.status().points_used, result.points_used)

    def test_weak_places(self):
        weak = self.client().extract("http://mock.invalid/weak").weak
        self.assertEqual(weak[0].reason, "unread-ink")
        self.assertEqual((weak[0].text, weak[0].confidence, weak[0].rotation), ("", 0, 0))
        self.assertTrue(all(w.text and w.box.width > 0 for w in weak[1:]))
        self.assertEqual(self.client().extract("http://mock.invalid/blank").weak, ())

    def test_errors(self):
        for key, kind in (("expired", uncial.InvalidApiKey), ("empty", uncial.InsufficientPoints),
                          ("ratelimited", uncial.RateLimited), ("err", uncial.ServerError)):
            with self.subTest(key), self.assertRaises(kind) as e:
                self.client(key).extract("http://mock.invalid/printed")
            self.assertEqual(e.exception.code, e.exception.body["code"])
        with self.assertRaises(uncial.InsufficientPoints) as e:
            self.client("empty").extract("http://mock.invalid/printed")
        self.assertEqual(e.exception.remaining_points, 0)
        self.assertTrue(e.exception.next_reset)

    def test_fetch(self):
        waits = []
        with self.assertRaises(uncial.InvalidRequest) as e:
            self.client(sleep=waits.append, patience=3600).extract("http://mock.invalid/fetch-busy")
        self.assertEqual(e.exception.fetch["reason"], "busy")
        self.assertEqual(waits, [e.exception.fetch["retryAfter"]] * 2, "what is retryable is retried, after the time stated")
        waits.clear()
        with self.assertRaises(uncial.InvalidRequest):
            self.client(sleep=waits.append).extract("http://mock.invalid/fetch-not-found")
        self.assertEqual(waits, [], "what is not retryable is not retried")

    def test_faults_are_charged_once(self):
        for fault in ("reset", "cut", "length", "drip-3000", "late-3000"):
            with self.subTest(fault):
                client = self.client(timeout=1)
                began = time.monotonic()
                result = client.extract("http://mock.invalid/" + fault)
                self.assertLess(time.monotonic() - began, 10)
                self.assertEqual(client.status().points_used, result.points_used)

    def test_a_fault_that_stays(self):
        with self.assertRaises(uncial.NoAnswer) as e:
            self.client("cut").extract("http://mock.invalid/printed", idempotency_key="page-1")
        self.assertEqual(e.exception.idempotency_key, "page-1")

    def test_extract_all(self):
        seen = []
        images = ["http://mock.invalid/printed", "http://mock.invalid/not-an-image", "http://mock.invalid/blank"]
        results = list(self.client().extract_all(images, progress=seen.append))
        self.assertEqual([r[0] for r in results], images)
        self.assertIsInstance(results[1][1], uncial.InvalidRequest)
        self.assertEqual((seen[-1].done, seen[-1].failed, seen[-1].total), (2, 1, 3))
        self.assertEqual(seen[-1].points_used, 20)
        with self.assertRaises(uncial.InsufficientPoints):
            list(self.client("low").extract_all(images[:1] * 2))


@unittest.skipUnless(SERVICE, "needs the keys and images of a real service")
class ServiceTest(unittest.TestCase):
    def client(self, key=None, base=URL, **options):
        return uncial.Client(base, key and SERVICE["keys"][key][0], **{"attempts": 2, "patience": 10, "sleep": lambda s: None, **options})

    def test_extract(self):
        result = self.client().extract(SERVICE["image"], format="alto")
        self.assertIn("<alto", result.document)
        self.assertEqual(self.client().extract(SERVICE["blank"]).weak, ())

    def test_errors(self):
        for key, kind in (("expired", uncial.InvalidApiKey), ("revoked", uncial.InvalidApiKey), ("empty", uncial.InsufficientPoints)):
            with self.subTest(key), self.assertRaises(kind):
                self.client(key).extract(SERVICE["image"])
        limited, seen = self.client("ratelimited", attempts=1), set()
        for _ in range(24):  # more than twice the limit of ten, because a new window may begin meanwhile
            with self.assertRaises(uncial.ApiError) as e:
                limited.extract("http://10.0.0.1/page.png")
            seen.add(type(e.exception))
            if uncial.RateLimited in seen:
                break
        self.assertIn(uncial.RateLimited, seen)

    def test_every_reason_of_fetch(self):
        for reason, image in SERVICE["unfetchable"].items():
            waits = []
            with self.subTest(reason), self.assertRaises(uncial.InvalidRequest) as e:
                self.client(sleep=waits.append).extract(image)
            self.assertEqual(e.exception.fetch["reason"], reason)
            self.assertEqual(len(waits), 1 if reason in ("unreachable", "incomplete", "busy", "server-error") else 0, reason)

    def test_damaged_answers_are_charged_once(self):
        for fault in ("reset", "cut", "length"):
            with self.subTest(fault):
                before = self.client().status().points_used
                result = self.client(base=f"{SERVICE['faults']}/{fault}/api/v1").extract(SERVICE["image"])
                self.assertEqual(self.client().status().points_used - before, result.points_used)


if __name__ == "__main__":
    unittest.main()
