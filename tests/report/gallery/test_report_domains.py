"""What the report says of the domains of media, and how it filters by them."""

import csv
from io import StringIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsing import find, needs_browser, open_filters, open_fresh, open_medium, run_script, shown_rows
from fake_run import data_of, medium_id, name_of, write_fake_run
from selenium import webdriver
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.run.tables.schema import MEDIA

N = 4
TOLD = [("design", 0.834, False), ("ad", 0.5, False), ("page", None, True), ("design", 0.6, False)]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("domains") / "run", N, maps=("original",))
    path = run / "tables" / "media.parquet"
    told = {medium_id(i): dict(zip(("domain", "domain_probability", "domain_stated"), TOLD[i], strict=True))
            for i in range(N)}  # fmt: skip
    rows = [row | told.get(row["medium_id"], {}) for row in pq.read_table(path).to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=MEDIA), path)
    return write_report(read_run(run), layout="folder")


def test_the_page_knows_what_media_were_taken_for(page: Path):
    media = {medium["id"]: medium for medium in data_of(page.read_text(encoding="utf-8"))["media"]}
    for i, (domain, probability, _) in enumerate(TOLD):
        medium = media[medium_id(i)]
        assert (medium["domain"], medium["domain_probability"]) == (domain, probability)
    assert media[None]["domain"] is None, "a file that failed"


@needs_browser
def test_a_medium_says_what_it_was_taken_for(browser: webdriver.Chrome, page: Path):
    words = ["design (83 % sure)", "ad (50 % sure)", "page", "design (60 % sure)"]
    for i, said in enumerate(words):
        open_medium(browser, page.as_uri(), medium_id(i))
        assert said in find(browser, "#detail-facts").text.split(" · ")


@needs_browser
def test_media_are_filtered_by_it(browser: webdriver.Chrome, page: Path):
    open_fresh(browser, page.as_uri())
    open_filters(browser)
    Select(find(browser, "#domain")).select_by_value("design")
    assert sorted(shown_rows(browser)) == sorted([name_of(0), name_of(3)])
    rows = list(csv.DictReader(StringIO(run_script(browser, "return csvText()"))))
    told = {(row["domain"], row["domain_probability"]) for row in rows}  # a copy has a row of its own
    assert told == {("design", "0.6"), ("design", "0.834")}
