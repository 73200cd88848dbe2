"""The web page without a browser: what is listed, what is handed out, and what is not."""

import re
from pathlib import Path
from urllib.parse import urljoin
from uuid import UUID, uuid4

import pytest
from asking import Asker
from page_tags import PageTags

from mediaan.server.pages.listing import PAGE_SIZE
from mediaan.server.pages.views import SCRIPTS, STYLE, assets
from mediaan.server.service.jobs import Job, Outcome
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

OWN = {"host": "127.0.0.1:8000"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>.png"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
REPORT = """<!doctype html><html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-x'">
<title>A run</title></head><body>default-src 'none'; <title>not this</title></body></html>"""


def page(ask: Asker, address: str = "/") -> str:
    answer = ask("GET", address, headers=OWN)
    assert answer.status_code == 200
    return answer.text


def listed(text: str) -> list[str]:
    return PageTags(text).values("tr", "data-name")


def predicted(ask: Asker, name: str = "ad.png", **columns: object) -> UUID:
    """A medium with a run that holds a report, a map, a density and a thumbnail."""
    media_id = ask.add(name=name)
    run = ask.service.folder.run(media_id, "first")
    checks = b'{"verdict": "attention", "checks": []}'
    files = {
        "answers/checks.json": checks,
        "answers/report.html": REPORT.encode(),
        "maps/ad-1/heat.png": PICTURE,
        "answers/thumbnail.webp": b"RIFF",
    }
    for path, content in files.items() | {"maps/ad-1/density.npz": b"PK", "run.json": b"{}"}.items():
        (run / path).parent.mkdir(parents=True, exist_ok=True)
        (run / path).write_bytes(content)
    results = {"thumbnail": "answers/thumbnail.webp"}
    ask.change(media_id, **({"status": "done", "run": "first", "file": "ad.png", "results": results} | columns))
    return media_id


# ---- the list


def test_a_thousand_media_are_listed_newest_first_each_on_one_page(ask: Asker):
    names = [f"ad {i}.png" for i in range(1003)]
    for name in names:
        ask.add(name=name)
    found, address = [], "/"
    while address:
        text = page(ask, address)
        assert 0 < len(listed(text)) <= PAGE_SIZE
        found += listed(text)
        older = [link for tag, link in PageTags(text).tags if tag == "a" and link.get("rel") == "next"]
        address = f"/{older[0]['href']}" if older else None
    assert found == names[::-1]
    assert "951–1,000 of 1,003" in page(ask, "/?page=20")


def test_filters_show_what_they_say_and_how_many_there_are(ask: Asker):
    media = {}
    for i, kind in enumerate(("image", "video", "mixed", "image", "video")):
        for status in ("done", "started", "failed", "init")[: 2 + i % 3]:
            media[f"{i}-{status}"] = (kind, status)
            ask.change(ask.add(kind, f"{i}-{status}"), status=status)
    for status in (None, "done", "started", "failed", "init"):
        for type, kinds in ((None, ("image", "video", "mixed")), ("image", ("image",)), ("video", ("video", "mixed"))):
            query = "&".join(f"{key}={value}" for key, value in (("status", status), ("type", type)) if value)
            expected = {name for name, (kind, state) in media.items() if kind in kinds and status in (None, state)}
            text = page(ask, f"/?{query}")
            assert set(listed(text)) == expected
            (shown,) = re.findall(r'aria-current="page">[\w ]+ <small>(\d+)', text)
            assert int(shown) == len(expected)


def test_a_newcomer_is_told_what_to_do_and_one_with_a_filter_that_fits_nothing_how_to_leave_it(ask: Asker):
    assert "Nothing here yet" in page(ask)
    ask.add()
    assert "Nothing here yet" not in page(ask, "/?type=video")
    assert "No file fits" in page(ask, "/?type=video")


def test_a_row_tells_state_reason_scores_and_purpose(ask: Asker):
    metrics = {"focus": 63.4, "clarity": None, "memory": 12.6}
    objectives = {"purpose": "brand_building", "industry": {"category": "food", "subcategory": "snacks"}}
    objectives |= {"brand": {"name": "Acme"}}
    media_id = predicted(ask, metrics=metrics, objectives=objectives, aoi_status="failed", aoi_error="No brand <b>")
    text = page(ask)
    row = re.search(rf'<tr[^>]* id="m-{media_id}".*?</tr>', text, re.DOTALL)
    cells = dict(re.findall(r'data-title="([^"]+)">(.*?)</td>', row[0], re.DOTALL))
    assert "<b>63</b>" in cells["Focus"]
    assert "--v:63.4%" in cells["Focus"]
    assert "n/a" in cells["Clarity"]
    assert "<b>13</b>" in cells["Memory"]
    assert "for Brand building, Snacks" in row[0]
    assert "brand: Acme" in row[0]
    assert '<span class="verdict-tag attention">Needs attention</span>' in row[0]
    assert "No brand &lt;b&gt;" in row[0]
    ask.change(media_id, status="failed", error="ad.png: the file is cut off")
    assert '<span class="why">The file is cut off</span>' in page(ask)


def test_names_are_text_whatever_they_hold(ask: Asker):
    predicted(ask, HOSTILE, error=HOSTILE, status="failed")
    found = PageTags(page(ask))
    assert listed(page(ask)) == [HOSTILE]
    assert all(address.startswith("media/") for address in found.values("img", "src"))
    assert all(address.startswith("/assets/") for address in found.values("script", "src"))
    assert "onerror" not in {name for _, attributes in found.tags for name in attributes}


def test_pages_hold_no_script_and_forbid_any_but_their_own(ask: Asker):
    media_id = predicted(ask)
    pages = [ask("GET", "/", headers=OWN), ask("GET", "/", key=None, headers=OWN)]
    pages += [ask("GET", f"/media/{uuid4()}/report/", headers=OWN), ask("GET", "/rows", headers=OWN)]
    for answer in pages:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy.replace("style-src-attr 'unsafe-inline'", "")
        found = PageTags(answer.text)
        assert sum(tag == "script" for tag, _ in found.tags) == len(found.values("script", "src"))
        assert not [name for _, attributes in found.tags for name in attributes if name.startswith("on")]
        assert answer.headers["cache-control"] in ("no-store", "private, no-cache")
    assert str(media_id) in pages[0].text


def test_the_rows_alone_are_those_of_the_page_and_unchanged_they_are_not_sent_again(ask: Asker):
    media_id = predicted(ask)
    rows = ask("GET", "/rows", headers=OWN)
    assert rows.text.strip() in page(ask)
    again = OWN | {"if-none-match": rows.headers["etag"]}
    assert (ask("GET", "/rows", headers=again).status_code, ask("GET", "/rows", headers=again).content) == (304, b"")
    ask.change(media_id, status="started")
    assert ask("GET", "/rows", headers=again).status_code == 200
    assert ask("GET", "/rows", key=None, headers=OWN).status_code == 401


def test_assets_are_there_under_the_addresses_that_pages_name(ask: Asker):
    text = page(ask)
    (style,), (script,) = PageTags(text).values("link", "href")[1:], PageTags(text).values("script", "src")[1:]
    folder = script.rpartition("/")[0]
    for name in (STYLE, *SCRIPTS):
        answer = ask("GET", f"{folder}/{name}", key=None, headers=OWN)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/css" if name == STYLE else "text/javascript")
        assert "immutable" in answer.headers["cache-control"]
    assert style == f"{folder}/{STYLE}"
    imported = {name for text in assets().values() for name in re.findall(r'from "\./([^"]+)"', text)}
    assert imported <= set(SCRIPTS)
    for wrong in ("session.py", "..%2fsession.py", "page.html.j2"):
        assert ask("GET", f"{folder}/{wrong}", key=None, headers=OWN).status_code == 404


def test_behind_a_proxy_that_cuts_a_path_off_every_address_has_it(tmp_path: Path):
    service = Service(ServerSettings(tmp_path / "data", public_url="https://example.com/media/tool/"))
    ask = Asker(service)
    media_id = predicted(ask)
    own = {"host": "example.com"}
    pages = {
        path: ask("GET", path, headers=own).text for path in ("/", f"/media/{media_id}/report/", "/media/x/report/")
    }
    pages["sign-in"] = ask("GET", "/", key=None, headers=own).text
    for text in pages.values():
        found = PageTags(text)
        said = found.values("a", "href") + found.values("form", "action") + found.values("script", "src")
        said += found.values("img", "src") + [link for link in found.values("link", "href") if link != "data:,"]
        assert all(not address.startswith("/") or address.startswith("/media/tool/") for address in said)
    answer = ask("POST", "/session", key=None, data={"key": ask.key, "to": "/?page=2"}, headers=own)
    assert answer.headers["location"] == "/media/tool/?page=2"
    assert "path=/media/tool/;" in answer.headers["set-cookie"].lower()
    service.database.close()


# ---- reports


def test_a_report_is_kept_and_shown_as_it_was_written(ask: Asker):
    address = f"/media/{predicted(ask)}/report/"
    answer = ask("GET", address, headers=OWN)
    assert answer.text == REPORT
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert ask("GET", address, headers=OWN | {"if-none-match": answer.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(("kind", "part"), [("image", "images"), ("video", "videos"), ("mixed", "mixed-media")])
def test_a_report_is_written_by_a_worker_when_it_is_first_opened(tmp_path: Path, kind: str, part: str):
    service = Service(ServerSettings(tmp_path / "data", answer_within_s=0.05))
    ask = Asker(service)
    media_id = predicted(ask, kind=kind)
    service.folder.report(media_id, "first").unlink()
    answer = ask("GET", f"/media/{media_id}/report/", headers=OWN)
    assert (answer.status_code, "open it again" in answer.text) == (503, True)
    job = service.jobs.take("worker", ("short",))
    assert (job.media_id, job.kind) == (media_id, "report")
    here = f"http://host/tool/media/{media_id}/report/"
    served = {name: urljoin(here, address) for name, address in job.payload["served"].items() if name != "company"}
    assert job.payload["served"]["company"] == "acme"
    assert served == {
        "areas": f"http://host/tool/predict/v2/{part}/{media_id}/aois",
        "medium": f"http://host/tool/predict/v2/media/{media_id}",
        "home": "http://host/tool/",
        "review": f"http://host/tool/media/{media_id}/review/",
    }
    service.database.close()


def test_a_report_that_was_overtaken_by_a_search_for_areas_is_that_of_the_run_with_them(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
):
    media_id = predicted(ask)
    folder = ask.service.folder
    folder.report(media_id, "first").unlink()

    async def finished(service: Service, job_id: int) -> bool:
        folder.run(media_id, "first").rename(folder.run(media_id, "second"))
        ask.change(media_id, run="second")
        folder.report(media_id, "second").write_text(REPORT)
        return True

    monkeypatch.setattr(Service, "finished", finished)
    answer = ask("GET", f"/media/{media_id}/report/", headers=OWN)
    assert (answer.status_code, answer.text) == (200, REPORT)


def test_a_report_that_is_not_there_says_why(ask: Asker):
    media_id = ask.add(name="coming.png")
    for status, words in (("init", "not been predicted"), ("started", "is being predicted"), ("failed", "cut off")):
        ask.change(media_id, status=status, error="it is cut off" if status == "failed" else None)
        answer = ask("GET", f"/media/{media_id}/report/", headers=OWN)
        assert (answer.status_code, words in answer.text, "coming.png" in answer.text) == (404, True, True)
    for unknown in (uuid4(), "x", "%00"):
        assert "No such file" in ask("GET", f"/media/{unknown}/report/", headers=OWN).text


def test_two_media_are_compared_by_a_worker_and_the_page_is_not_kept(tmp_path: Path):
    service = Service(ServerSettings(tmp_path / "data", answer_within_s=0.05))
    ask = Asker(service)
    a, b = predicted(ask, "a.png"), predicted(ask, "b.png")
    assert PageTags(page(ask)).values("input", "value") == [str(b), str(a)], "a box for each in the list"
    address = f"/compare?media={a}&media={b}"
    answer = ask("GET", address, headers=OWN)
    assert (answer.status_code, "still being made" in answer.text) == (503, True)
    job = service.jobs.take("worker", ("short",))
    assert (job.media_id, job.kind) == (a, "report")
    assert job.payload == {"other": {"media_id": str(b), "run": "first", "name": "b.png"}}
    file = service.folder.comparison(a, "first", b, "first")
    file.write_text("<p>A and B</p>")
    assert ask("GET", address, headers=OWN).text == "<p>A and B</p>"
    assert not file.exists(), "either may be deleted"
    service.database.close()


@pytest.mark.parametrize("chosen", ["", "media={a}", "media={a}&media={a}", "media={a}&media=x", "media={a}&media={b}"])
def test_what_cannot_be_compared_is_told(ask: Asker, chosen: str):
    a, b = predicted(ask), ask.add(name="not predicted.png")
    answer = ask("GET", f"/compare?{chosen.format(a=a, b=b)}", headers=OWN)
    assert (answer.status_code, "No comparison" in answer.text) == (404, True)
    assert "A run" not in ask("GET", "/compare", key=None, headers=OWN).text


@pytest.mark.parametrize("what", ["report/", "maps/ad-1/heat.png", "thumbnail/first"])
def test_nobody_else_gets_anything_of_a_medium(ask: Asker, what: str):
    address = f"/media/{predicted(ask)}/{what}"
    assert ask("GET", address, headers=OWN).status_code == 200
    stranger = ask("GET", address, key=ask.service.keys.create("rival"), headers=OWN)
    assert stranger.status_code == 404
    assert not {b"A run", PICTURE, b"RIFF"} & {stranger.content}
    anybody = ask("GET", address, key=None, headers=OWN)
    assert b"A run" not in anybody.content
    assert anybody.status_code == (200 if what == "report/" else 404)


BENT = [
    "../run.json",
    "..%2frun.json",
    "%2e%2e/%2e%2e/%2e%2e/%2e%2e/server.sqlite",
    "ad-1/../../run.json",
    "ad-1%5c..%5c..%5crun.json",
    "%2fetc%2fpasswd",
    "/etc/passwd",
    "ad-1/density.npz",
    "ad-1/heat.png%00",
    "ad-1/heat.png/",
    "ad-1//heat.png",
    "ad-1",
    "",
    ".hidden/a.png",
    "link/a.png",
    "link.png",
    "ad-1/" + "x" * 300 + ".png",
]


@pytest.mark.parametrize("path", BENT)
def test_no_address_leads_out_of_the_maps_of_the_run(ask: Asker, tmp_path: Path, path: str):
    media_id = predicted(ask)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.png").write_bytes(b"secret")
    maps = ask.service.folder.run(media_id, "first") / "maps"
    (maps / ".hidden").mkdir()
    (maps / ".hidden" / "a.png").write_bytes(b"secret")
    (maps / "link").symlink_to(outside)
    (maps / "link.png").symlink_to(outside / "a.png")
    answer = ask("GET", f"/media/{media_id}/maps/{path}", headers=OWN)
    assert (answer.status_code, set(answer.json())) == (404, {"detail"})


def test_a_comparison_that_several_ask_for_at_once_is_shown_to_all(ask: Asker):
    a, b = predicted(ask, "a.png"), predicted(ask, "b.png")
    file = ask.service.folder.comparison(a, "first", b, "first")

    def end(job: Job) -> None:
        file.write_text("<p>A and B</p>")
        ask.service.jobs.finish(job, Outcome())

    for _ in range(5):
        answers = ask.at_work(end, "GET", f"/compare?media={a}&media={b}", count=6, headers=OWN)
        assert [answer.text for answer in answers] == ["<p>A and B</p>"] * 6
    assert not file.exists()
