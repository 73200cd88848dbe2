// Looks at a page that is open. Each function is called by its name from browser.py.
({
  /** Height of the page in CSS px, also where its own styles keep it from being scrolled. */
  height: () => Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0),

  /** What a screen shows at once, CSS px: on a phone more than its own, where a page is not made for phones. */
  screen: () => ({ width: Math.round(visualViewport.width), height: Math.round(visualViewport.height) }),

  /** Show a depth of the page at once, whatever its own styles say of scrolling. */
  scroll: (y) => window.scrollTo({ top: y, left: 0, behavior: 'instant' }),

  /** How many of the pictures are loaded, still loading and missing. */
  images: () => {
    const counts = { loading: 0, missing: 0 };
    for (const image of document.images) {
      if (!image.currentSrc) continue;
      if (!image.complete) counts.loading += 1;
      else if (!image.naturalWidth) counts.missing += 1;
    }
    return counts;
  },

  /** Whether the page lies in an element that scrolls by itself, as in many web apps. */
  scrollsInside: () => {
    const page = document.scrollingElement || document.documentElement;
    if (page.scrollHeight > innerHeight * 1.1) return false;
    return [...document.querySelectorAll('body *')].some((element) => {
      const box = element.getBoundingClientRect();
      const large = box.width * box.height > 0.5 * innerWidth * innerHeight;
      const scrolls = /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
      return large && scrolls && element.scrollHeight > 1.5 * element.clientHeight;
    });
  },

  /**
   * The layers that lie over the first screen: those that speak of cookies, and any that cover a quarter of it.
   * Bars at an edge, backgrounds, and an element that holds the page itself are none.
   */
  layers: () => {
    const words = /cookie|consent|gdpr|dsgvo|rgpd|lgpd|ccpa|einwillig|onetrust|usercentrics|didomi|cookiebot|trustarc/i;
    const named = /privacy|datenschutz|confidentialit|privacidad/i;
    const all = (document.body.innerText || '').length || 1;
    const layers = [];
    const within = (element, other) => {
      for (let at = element; at; at = at.parentNode || at.host) if (at === other) return true;
      return false;
    };
    const isOnTop = (element, box) => [[0.5, 0.5], [0.5, 0.1], [0.5, 0.9], [0.1, 0.5], [0.9, 0.5]].some(([x, y]) => {
      const [left, top] = [box.left + x * (box.right - box.left), box.top + y * (box.bottom - box.top)];
      const found = element.getRootNode().elementFromPoint(left, top);
      return found && within(found, element);
    });
    const textOf = (element) => (element.innerText || '').replace(/\s+/g, ' ').trim();
    const buttonsOf = (element) => {
      const buttons = [...element.querySelectorAll('button, [role=button], input[type=button], input[type=submit], a')];
      const texts = buttons.map((button) => textOf(button) || button.value || button.getAttribute('aria-label') || '');
      return [...new Set(texts.filter((text) => text && text.length <= 40))].slice(0, 4);
    };
    const visit = (root) => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot) visit(element.shadowRoot);
        const style = getComputedStyle(element);
        if (style.position !== 'fixed' && !element.matches('dialog[open], [popover]:popover-open')) continue;
        if (style.visibility === 'hidden' || Number(style.opacity) < 0.1) continue;
        const whole = element.getBoundingClientRect();
        const box = {
          left: Math.max(0, whole.left), right: Math.min(innerWidth, whole.right),
          top: Math.max(0, whole.top), bottom: Math.min(innerHeight, whole.bottom),
        };
        const share = Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top) / (innerWidth * innerHeight);
        if (share < 0.005 || layers.some((layer) => within(element, layer.element))) continue;
        const text = textOf(element);
        if (text.length > 0.8 * all && text.length > 1000) continue;
        const label = [element.id, element.getAttribute('class'), element.getAttribute('aria-label'), element.title,
          element.src].join(' ');
        const buttons = buttonsOf(element);
        const isBar = element.closest('header, nav, [role=banner], [role=navigation]') !== null && share < 0.25;
        const ofCookies = !isBar && (words.test(label) || (buttons.length > 0 && text.length > 30
          && (words.test(text) || named.test(text))));
        if ((ofCookies || share >= 0.25) && isOnTop(element, box)) {
          layers.push({ element, share, ofCookies, text: text.slice(0, 60), buttons });
        }
      }
    };
    visit(document);
    return layers.map(({ element: _, ...facts }) => facts);
  },
})
