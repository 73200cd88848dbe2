"""The page of trends: alone on disk, true to the numbers, in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browsing import find, needs_browser, open_fresh
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from mediaan.studies.trend.page import HEIGHT, LEFT, TOP, WIDTH, draw_chart, render_trends
from mediaan.studies.trend.statistics import SHARE_UNIT, DatedScore, Trend, Trends, decide_trends, measure_trend

HOSTILE = "</style><img src=x onerror=alert(1)>"
MONTHS = [1, 2, 3, 4, 7, 8, 9, 12]  # May, June, October and November have no media


def showings(start: float, step: float) -> list[DatedScore]:
    return [
        DatedScore(start + step * month + 8 * (i - 1), 0.0, 100.0, day=date(2024, month, 10 + i))
        for month in MONTHS
        for i in range(3)
    ]


def make(groups: tuple[str, ...] = (), split: date | None = None) -> Trends:
    empty = Trend(None, None, "focus", "Focus", "total", "score", (), 0, "month")
    shown = [
        measure_trend(
            replace(empty, group=group), showings(40 + 5 * i, 4 - 3 * i), "month", low=0, high=100, split=split
        )
        for i, group in enumerate(groups or (None,))
    ]
    share = replace(empty, aoi_type="branding", metric="presence", title="Files that have one", unit=SHARE_UNIT)
    some = [DatedScore(100.0 * (month != 3), day=date(2024, month, 5)) for month in MONTHS[:2]]
    shown.append(
        measure_trend(replace(share, group=groups[0] if groups else None), some, "month", low=0, high=100, split=split)
    )
    return Trends(
        runs=(f"runs/{HOSTILE}",),
        dates="names of folders and files",
        period="month",
        first=date(2024, 1, 1),
        last=date(2024, 12, 31),
        by="campaign" if groups else None,
        groups=dict.fromkeys(groups, 24),
        split=split,
        n=24,
        undated=((HOSTILE, "it has no date"),),
        notes=(f"1 media have no date and are left out, such as {HOSTILE}.",),
        trends=decide_trends(shown),
    )


def chart(whole: Trends) -> dict[str, Any]:
    return draw_chart([one for one in whole.trends if one.metric == "focus"], whole, 0, 100)


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]


def test_the_page_stands_alone_and_escapes_what_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(render_trends(make(("spring", HOSTILE))), encoding="utf-8")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert "<img" not in text
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=\"(?!data:,)", text)
    assert "nan" not in re.sub(r"<[^>]*>", " ", text).lower().split()


def test_strokes_break_where_a_period_has_no_media() -> None:
    (course,) = chart(make())["curves"]
    assert len(course["marks"]) == 8
    assert [len(numbers(stroke)) // 2 for stroke in course["strokes"]] == [4, 3], "January to April, July to September"
    assert [len(numbers(band)) // 4 for band in course["bands"]] == [4, 3]
    assert len(course["whiskers"]) == 1, "December stands alone"


def test_points_lie_where_the_axes_say() -> None:
    whole = make()
    drawn = chart(whole)
    (trend,) = drawn["trends"]
    heights = {float(text): y for y, text in drawn["scores"]}
    (top, y_top), (bottom, y_bottom) = max(heights.items()), min(heights.items())
    for mark, period in zip(drawn["curves"][0]["marks"], trend.periods, strict=True):
        x, y = numbers(mark)[:2]
        assert y == pytest.approx(y_top + (top - period.mean) / (top - bottom) * (y_bottom - y_top), abs=0.06)
        share = (period.at - whole.first).days / 366
        assert x == pytest.approx(LEFT + (WIDTH - LEFT - 10) * share, abs=1)
    assert all(TOP - 0.1 <= y <= HEIGHT for y in heights.values())
    assert all(a < b for a, b in pairwise(drawn["edges"]))


def test_a_step_is_drawn_as_two_levels() -> None:
    whole = make(split=date(2024, 7, 11))
    drawn = chart(whole)
    (trend,) = drawn["trends"]
    assert [one.period for one in trend.periods][4:6] == ["2024-07 before", "2024-07 after"]
    first, last, again, end = zip(*[iter(numbers(drawn["curves"][0]["line"] or ""))] * 2, strict=True)
    assert first[1] == last[1]
    assert again[1] == end[1] < first[1], "higher scores lie higher up"
    assert drawn["split"] is not None
    assert last[0] < drawn["split"] <= again[0] < end[0]
    text = render_trends(whole)
    assert f"from {trend.line[0]:.1f} to {trend.line[-1]:.1f}" in text
    assert "higher or lower from 2024-07-11 on" in text


def test_the_words_are_those_of_the_numbers() -> None:
    whole = make()
    text = re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]*>", "", render_trends(whole), flags=re.DOTALL))
    focus = whole.trends[0]
    assert focus.verdict == "rises"
    assert f"rises by {focus.change:.1f} points from 2024-01 to 2024-12" in text
    assert "too few periods for a line: 2 of 3" in text


@needs_browser
@pytest.mark.parametrize("groups", [(), ("spring", "summer", HOSTILE)])
def test_in_a_browser(browser: webdriver.Chrome, tmp_path: Path, groups: tuple[str, ...]) -> None:
    whole = make(groups)
    (tmp_path / "index.html").write_text(render_trends(whole), encoding="utf-8")
    open_fresh(browser, (tmp_path / "index.html").as_uri())
    figures = browser.find_elements(By.CSS_SELECTOR, ".charts figure")
    assert len(figures) == 2
    assert "Focus" in figures[0].text
    assert len(browser.find_elements(By.CSS_SELECTOR, ".key li")) == len(groups)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    box = figures[0].find_elements(By.CSS_SELECTOR, ".read-out")[1]
    assert not box.is_displayed()
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", figures[0])
    ActionChains(browser).move_to_element(figures[0].find_elements(By.CSS_SELECTOR, ".hit")[1]).perform()
    assert box.is_displayed()
    february = whole.trends[0].periods[1]
    assert "2024-02" in box.text
    assert f"{february.mean:.1f} [{february.lo:.1f}, {february.hi:.1f}], n 3" in box.text
    details = find(browser, "details")
    details.click()
    assert f"{february.mean:.1f}" in details.text
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
