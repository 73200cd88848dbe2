"""Contrast of text with what really lies under it, from pixels: grounds that style sheets do not tell."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

import numpy as np
from PIL import Image
from selenium import webdriver

LEAST, LEAST_LARGE = 4.5, 3.0
"""Contrast ratios of WCAG 2.2, success criterion 1.4.3 (AA)."""
LARGE_PX, LARGE_BOLD_PX = 24.0, 18.66
GROUND_SHARE = 0.05
"""Share of the ground's pixels that may contrast less: lines that cross it, rounded corners."""

_NO_INK = """
const sheet = new CSSStyleSheet(); // an element would be refused where a policy forbids styles from elsewhere
sheet.replaceSync(`
  * { -webkit-text-fill-color: transparent !important; text-decoration-color: transparent !important; }
  * { text-shadow: none !important; transition: none !important; }
  text, tspan { fill: transparent !important; }
`);
document.adoptedStyleSheets = [sheet];
"""
_SETTLED = """
const done = arguments[0];
const pictures = [...document.images].filter((one) => one.checkVisibility());
Promise.allSettled(pictures.map((one) => one.decode()))
  .then(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));
"""
_TEXTS = """
const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
function rgba(colour) {
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  return [...pixel.getImageData(0, 0, 1, 1).data];
}
function opacity(element) {
  return element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1;
}
function isOnTop(element, box) {
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return top !== null && (element.contains(top) || top.contains(element));
}
return arguments[0].flatMap((selector) => {
  const element = document.querySelector(selector);
  const style = getComputedStyle(element);
  const colour = rgba(element instanceof SVGElement ? style.fill : style.color);
  const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  return own.flatMap((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter((box) => box.width > 2 && isOnTop(element, box)).map((box) => ({
      selector,
      text: node.data.trim().slice(0, 40),
      colour,
      opacity: opacity(element),
      large: parseFloat(style.fontSize) >= (Number(style.fontWeight) >= 700 ? arguments[2] : arguments[1]),
      box: [box.left, box.top, box.right, box.bottom],
    }));
  });
})
"""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text on the screen, and how it stands out."""

    selector: str
    text: str
    ratio: float
    least: float

    @property
    def is_faint(self) -> bool:
        return self.ratio < self.least

    def __str__(self) -> str:
        return f"{self.ratio:.2f} and not {self.least:g} at {self.selector}: {self.text!r}"


def measured(browser: webdriver.Chrome, selectors: list[str]) -> list[Text]:
    """The contrast of the text that some elements hold themselves, where it can be seen."""
    _show_whole_page(browser)
    lines = browser.execute_script(_TEXTS, selectors, LARGE_PX, LARGE_BOLD_PX)
    browser.execute_script(_NO_INK)
    ground = screen(browser)
    browser.execute_script("document.adoptedStyleSheets = []")
    return [_measured(line, ground) for line in lines]


def screen(browser: webdriver.Chrome) -> np.ndarray:
    """What is on the screen now, as colours from 0 to 1."""
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB"), np.float64) / 255


def ratio(ink: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """Contrast ratios (WCAG 2.2) of colours, 0 to 1, that broadcast.

    >>> float(ratio(np.zeros(3), np.ones(3)))
    21.0
    """
    light = np.stack(np.broadcast_arrays(luminance(ink), luminance(ground)))
    return (light.max(axis=0) + 0.05) / (light.min(axis=0) + 0.05)


def luminance(colour: np.ndarray) -> np.ndarray:
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _measured(line: dict, page: np.ndarray) -> Text:
    left, top, right, bottom = line["box"]
    margin = 0.2 * (bottom - top)  # a line is higher than its letters
    rows, columns = slice(round(top + margin), round(bottom - margin)), slice(round(left), round(right))
    ground = page[rows, columns].reshape(-1, 3)
    *rgb, alpha = np.array(line["colour"]) / 255
    share = alpha * line["opacity"]
    ratios = ratio(share * np.array(rgb) + (1 - share) * ground, ground)
    least = LEAST_LARGE if line["large"] else LEAST
    return Text(line["selector"], line["text"], float(np.quantile(ratios, GROUND_SHARE)), least)


def _show_whole_page(browser: webdriver.Chrome) -> None:
    width, height = browser.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
    size = {"width": width, "height": min(height, 12_000), "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_async_script(_SETTLED)
