// The picture: drawing, colors, zoom and pan, keys.
const SVG = 'http://www.w3.org/2000/svg';
const HUES = ['#3f6fd1', '#1d9a8a', '#b7791f', '#8a55c7', '#4d8b31', '#c2578e', '#2b8fbd', '#a0664b'];
const READABLE = 0.68;  // smaller than that, names are only dots
const OTHER = '#9a9c9f';

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') made.addEventListener('click', value);
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function shape(name, attributes = {}, words = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== null) made.textContent = words;
  return made;
}

const ruler = document.createElement('canvas').getContext('2d');
function measured(words, font) {
  ruler.font = font + ' ' + getComputedStyle(document.body).fontFamily;
  return ruler.measureText(words).width;
}
// Shortened in the middle: the end of a file name says as much as its start.
function fitted(words, width, font) {
  if (measured(words, font) <= width) return words;
  let low = 0, high = words.length;
  const cut = (keep) => words.slice(0, Math.ceil(keep * 0.6)) + '\u2026' + words.slice(words.length - Math.floor(keep * 0.4));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measured(cut(middle), font) <= width) low = middle; else high = middle - 1;
  }
  return cut(low);
}

// A color for each version or origin, the most interesting first: a title that is present in two versions.
function coloursOf(picture, by) {
  const keys = new Map();
  const versions = new Map();
  for (const library of picture.libraries) {
    if (library.index === 0 || library.missing || library.loses) continue;
    const key = by === 'origin' ? library.origin : library.version && familyOf(library) + ' ' + shortVersion(library.version);
    if (!key || (by === 'origin' && library.system)) continue;
    keys.set(key, (keys.get(key) || 0) + 1);
    if (by === 'version') {
      const family = familyOf(library);
      if (!versions.has(family)) versions.set(family, new Set());
      versions.get(family).add(key);
    }
  }
  const mixed = (key) => [...versions.values()].some((set) => set.size > 1 && set.has(key)) ? 1 : 0;
  const sorted = [...keys.keys()].sort((a, b) => mixed(b) - mixed(a) || keys.get(b) - keys.get(a) || (a < b ? -1 : 1));
  const colours = new Map(sorted.slice(0, HUES.length).map((key, place) => [key, HUES[place]]));
  return {
    of: (library) => colours.get(by === 'origin' ? library.origin : familyOf(library) + ' ' + shortVersion(library.version)) || OTHER,
    legend: [...colours], more: sorted.length > HUES.length,
  };
}
// "cuDNN ops" and "cuDNN graph" belong together.
const familyOf = (library) => /^(cuDNN|TensorRT)\b/.exec(library.title)?.[0] || library.title;
const shortVersion = (version) => version.split('.').slice(0, 3).join('.');

class Picture {
  constructor(canvas, onSelect) {
    this.canvas = canvas;
    this.onSelect = onSelect;
    this.open = new Set();
    this.view = {k: 1, x: 0, y: 0};
    this.svg = shape('svg', {role: 'tree', tabindex: '0', 'aria-label': 'Libraries and what needs them. Arrow keys move between them, ' +
      'plus and minus zoom, 0 shows everything.'});
    this.world = shape('g');
    this.svg.append(this.world);
    canvas.prepend(this.svg);
    this.listen();
  }

  show(picture, by) {
    this.picture = picture;
    this.by = by;
    this.open.clear();
    this.selected = null;
    this.draw();
    this.frame();
  }

  draw() {
    this.layout = layOut(this.picture, this.open, (name) => measured(name, '600 12.5px'));
    this.colours = coloursOf(this.picture, this.by);
    this.cardOf = new Map();
    const parts = document.createDocumentFragment();
    this.lines = shape('g');
    const blocks = shape('g'), cards = shape('g');
    for (const block of this.layout.blocks)
      blocks.append(shape('rect', {class: 'block', x: block.x, y: block.y, width: block.width, height: block.height, rx: 12}));
    for (const card of this.layout.cards) {
      cards.append(this.drawCard(card));
      for (const loser of card.losers) cards.append(this.drawCard(loser));
    }
    parts.append(blocks, this.lines, cards);
    this.world.replaceChildren(parts);
    this.drawLines();
    this.mark();
  }

  drawCard(card) {
    const library = card.library;
    const classes = ['card'];
    if (card.group) classes.push('group');
    else for (const name of ['culprit', 'suspect', 'missing', 'unloaded', 'loses']) if (library[name]) classes.push(name);
    if (library && library.index === 0) classes.push('program');
    const words = card.group ? groupWords(card.group) : cardWords(library);
    const group = shape('g', {class: classes.join(' '), transform: 'translate(' + card.x + ' ' + card.y + ')', role: 'treeitem',
      'aria-label': words.spoken, 'aria-level': 1 + depthOf(card), id: 'card-' + (card.group ? 'group-' + [...this.cardOf.keys()].length : library.index)});
    group.append(shape('rect', {class: 'box', width: card.width, height: card.height, rx: 7}));
    const striped = library && library.index !== 0 && !library.culprit && !library.missing && !library.loses && library.version + library.origin;
    if (striped) group.append(shape('rect', {width: 4, height: card.height - 14, x: 6, y: 7, rx: 2, fill: this.colours.of(library)}));
    const inset = card.height < CARD.height ? 9 : 17;
    const room = card.width - inset - 10;
    if (card.height < CARD.height) {
      group.append(shape('text', {class: 'name', x: inset, y: 16}, fitted(words.line, room, '400 11px')));
    } else {
      group.append(shape('text', {class: 'name', x: inset, y: words.below ? 19 : 27}, fitted(words.name, room, '600 12.5px')));
      if (words.below) group.append(shape('text', {class: 'sub', x: inset, y: 34}, fitted(words.below, room, '400 11px')));
    }
    group.append(shape('title', {}, words.spoken));
    card.drawn = group;
    group.card = card;
    this.cardOf.set(card.group ? 'group:' + card.group.key : library, card);
    return group;
  }

  // From the right side of one card to the left side of another, with round corners.
  line(from, toX, toY, classes, dash) {
    const x = from.x + from.width, y = from.y + CARD.height / 2;
    const bend = x + CARD.gapX / 2 - CARD.pad / 2;
    const r = Math.min(10, Math.abs(toY - y) / 2);
    const down = toY > y ? 1 : -1;
    const d = Math.abs(toY - y) < 1 ? 'M' + x + ' ' + y + 'H' + toX :
      'M' + x + ' ' + y + 'H' + (bend - r) + 'Q' + bend + ' ' + y + ' ' + bend + ' ' + (y + down * r) + 'V' + (toY - down * r) +
      'Q' + bend + ' ' + toY + ' ' + (bend + r) + ' ' + toY + 'H' + toX;
    this.lines.append(shape('path', {class: 'edge ' + classes + (dash ? ' opened' : ''), d}));
  }
  // Between any two cards.
  curve(from, to, classes) {
    const x1 = from.x + from.width, y1 = from.y + from.height / 2, y2 = to.y + to.height / 2;
    const above = to.x < x1 && from.x < to.x + to.width;  // in one column: around its cards, not across them
    const back = !above && to.x <= from.x;
    const start = back ? from.x : x1;
    const x2 = above || back ? to.x + to.width : to.x;
    const reach = Math.max(36, Math.abs(x2 - start) / 2);
    const a = above ? Math.max(start, x2) + 32 : back ? start - reach : start + reach;
    const b = above ? a : back ? x2 + reach : x2 - reach;
    this.lines.append(shape('path', {class: 'edge ' + classes, d: 'M' + start + ' ' + y1 + 'C' + a + ' ' + y1 + ' ' + b + ' ' + y2 + ' ' + x2 + ' ' + y2}));
  }

  drawLines() {
    this.lines.replaceChildren();
    const story = new Set();
    for (const card of this.layout.cards) if (card.bad) for (let at = card; at; at = at.parent) story.add(at);
    const late = [];
    for (const card of this.layout.cards) {
      if (!card.parent) continue;
      const inBlock = card.block && card.block.leaves.length > 1;
      const edge = card.library && card.library.askedBy.find((known) => known.from === card.parent.library.index);
      const broken = card.library && card.library.missing && card.bad;
      const classes = edge && edge.mixed ? 'mixed' : broken ? 'broken' : story.has(card) ? 'story' : '';
      if (inBlock && classes !== 'mixed' && classes !== 'broken') {
        if (!card.block.lined) this.line(card.parent, card.block.x, Math.max(card.block.y + CARD.pad + CARD.height / 2), '');
        card.block.lined = true;
        continue;
      }
      late.push([card, classes, edge && edge.opened && classes === '']);
    }
    for (const block of this.layout.blocks) block.lined = false;
    late.sort((a, b) => (a[1] === 'mixed' || a[1] === 'broken' ? 1 : 0) - (b[1] === 'mixed' || b[1] === 'broken' ? 1 : 0));
    for (const [card, classes, dash] of late) this.line(card.parent, card.x, card.y + CARD.height / 2, classes, dash);
    const chosen = this.selected && this.selected.library;
    for (const edge of this.picture.edges) {
      const from = this.cardOf.get(this.picture.libraries[edge.from]), to = this.cardOf.get(this.picture.libraries[edge.to]);
      if (!from || !to || to.parent === from) continue;
      const asked = chosen && (from.library === chosen || to.library === chosen);
      if (edge.mixed) this.curve(from, to, 'mixed'); else if (asked) this.curve(from, to, 'asked');
    }
  }

  // The initial view: everything if that is readable, else the path to the culprit, else the top left.
  frame() {
    const box = this.canvas.getBoundingClientRect();
    const all = {x: 0, y: 0, right: this.layout.width, bottom: this.layout.height};
    const whole = this.scaleFor(all, box);
    if (whole >= READABLE) { this.lookAt(all, Math.min(whole, 1.15), box); return; }
    const bad = this.layout.cards.filter((card) => card.bad);
    let best = {k: 0};
    if (bad.length > 0) {
      const seen = {x: bad[0].x, y: bad[0].y, right: bad[0].x + bad[0].width, bottom: bad[0].y + bad[0].height};
      for (let at = bad[0].parent; at; at = at.parent) {
        const wider = {x: Math.min(seen.x, at.x), y: Math.min(seen.y, at.y), right: seen.right, bottom: Math.max(seen.bottom, at.y + at.height)};
        if (this.scaleFor(wider, box) < READABLE) break;
        Object.assign(seen, wider);
      }
      for (const card of bad) {
        const wider = {x: Math.min(seen.x, card.x), y: Math.min(seen.y, card.y), right: Math.max(seen.right, card.x + card.width), bottom: Math.max(seen.bottom, card.y + card.height)};
        if (this.scaleFor(wider, box) >= READABLE) Object.assign(seen, wider);
      }
      const k = Math.min(1, Math.max(READABLE, this.scaleFor(seen, box)));
      this.view = {k, x: box.width / 2 - k * (seen.x + seen.right) / 2, y: Math.min(40, box.height / 2 - k * (seen.y + seen.bottom) / 2)};
      best.k = k;
      // A few libraries above the path are better than empty space below it.
      if (seen.y * k < 40) this.view.y = 40;
      if (seen.x * k < 40 && (seen.right - seen.x) * k < box.width) this.view.x = Math.min(this.view.x, 40 - seen.x * k);
    }
    if (best.k === 0) this.view = {k: 0.8, x: 32, y: 32};
    this.move();
  }
  scaleFor(area, box) { return Math.min((box.width - 64) / (area.right - area.x), (box.height - 64) / (area.bottom - area.y)); }
  lookAt(area, k, box) {
    this.view = {k, x: (box.width - k * (area.right - area.x)) / 2 - k * area.x, y: Math.max(28, (box.height - k * (area.bottom - area.y)) / 2) - k * area.y};
    this.move();
  }
  fit() {
    const box = this.canvas.getBoundingClientRect();
    const all = {x: 0, y: 0, right: this.layout.width, bottom: this.layout.height};
    this.lookAt(all, Math.min(1.15, this.scaleFor(all, box)), box);
  }
  move() { this.world.setAttribute('transform', 'translate(' + this.view.x + ' ' + this.view.y + ') scale(' + this.view.k + ')'); }
  zoom(factor, atX, atY) {
    const box = this.canvas.getBoundingClientRect();
    const x = atX ?? box.width / 2, y = atY ?? box.height / 2;
    const k = Math.min(3, Math.max(0.08, this.view.k * factor));
    this.view = {k, x: x - (x - this.view.x) * k / this.view.k, y: y - (y - this.view.y) * k / this.view.k};
    this.move();
  }
  centre(card, always) {
    const box = this.canvas.getBoundingClientRect();
    if (this.view.k < 0.6) this.view.k = 0.9;
    const x = this.view.x + this.view.k * (card.x + card.width / 2), y = this.view.y + this.view.k * (card.y + card.height / 2);
    if (!always && x > 60 && x < box.width - 60 && y > 40 && y < box.height - 60) { this.move(); return; }
    this.view.x += box.width / 2 - x;
    this.view.y += box.height / 2 - y;
    this.move();
  }

  // Selects a library and, if it is collapsed, expands its group.
  find(library, always = true) {
    let card = this.cardOf.get(library);
    if (!card) {
      this.open.add(library.system ? (library.origin || 'system') : library.origin);
      this.draw();
      card = this.cardOf.get(library);
    }
    if (card) { this.select(card); this.centre(card, always); }
  }
  select(card) {
    this.selected = card;
    this.drawLines();
    this.mark();
    this.onSelect(card.library || null);
  }
  unfold(card) {
    const key = card.group.key, library = card.group.members[0];
    this.open.add(key);
    this.draw();
    this.find(library);
  }
  mark() {
    const chosen = this.selected && this.selected.library;
    for (const card of this.cardOf.values()) {
      const on = card === this.selected || Boolean(chosen && card.library === chosen);
      card.drawn.classList.toggle('selected', on);
      card.drawn.setAttribute('aria-selected', String(on));
    }
    if (this.selected) {
      const card = chosen ? this.cardOf.get(chosen) : this.selected;
      if (card) { this.selected = card; this.svg.setAttribute('aria-activedescendant', card.drawn.id); }
    }
  }
  // Only what matches stays bright; null = everything.
  highlight(test) { for (const card of this.cardOf.values()) card.drawn.classList.toggle('away', test !== null && !(card.library && test(card.library))); }
  colourBy(by) { this.by = by; this.draw(); }

  listen() {
    const pointers = new Map();
    let moved = false;
    this.svg.addEventListener('pointerdown', (event) => {
      pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
      moved = false;
    });
    this.svg.addEventListener('pointermove', (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last.x, dy = event.clientY - last.y;
      if (!moved && Math.hypot(dx, dy) < 4) return;
      if (!moved) this.svg.setPointerCapture(event.pointerId);
      moved = true;
      if (pointers.size === 2) {
        const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)[1];
        const box = this.svg.getBoundingClientRect();
        const factor = Math.hypot(event.clientX - other.x, event.clientY - other.y) / Math.max(1, Math.hypot(last.x - other.x, last.y - other.y));
        this.zoom(factor, other.x - box.left, other.y - box.top);
      } else {
        this.view.x += dx;
        this.view.y += dy;
        this.move();
      }
      pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    });
    for (const name of ['pointerup', 'pointercancel']) this.svg.addEventListener(name, (event) => pointers.delete(event.pointerId));
    this.svg.addEventListener('click', (event) => {
      const drawn = event.target.closest('.card');
      if (moved || !drawn) return;
      if (drawn.card.group) this.unfold(drawn.card); else this.select(drawn.card);
    });
    // The wheel scrolls the page until the picture has the focus.
    this.svg.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.svg) return;
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
    }, {passive: false});
    this.svg.addEventListener('keydown', (event) => this.key(event));
  }

  key(event) {
    const pan = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]}[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (pan && event.shiftKey) { this.view.x += pan[0]; this.view.y += pan[1]; this.move(); }
    else if (pan) this.step(event.key);
    else if (event.key === '+' || event.key === '=') this.zoom(1.25);
    else if (event.key === '-') this.zoom(0.8);
    else if (event.key === '0') this.fit();
    else if (event.key === 'Home') this.go(this.layout.root);
    else if (event.key === 'Enter' || event.key === ' ') { if (this.selected && this.selected.group) this.unfold(this.selected); else return; }
    else return;
    event.preventDefault();
  }
  go(card) { this.select(card); this.centre(card, false); }
  // The nearest card in that direction, those in the same row or column first.
  step(key) {
    const here = this.selected;
    if (!here) { this.go(this.layout.cards.find((card) => card.bad) || this.layout.root); return; }
    const across = key === 'ArrowLeft' || key === 'ArrowRight', sign = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
    let best = null, least = Infinity;
    for (const card of this.cardOf.values()) {
      const dx = card.x - here.x, dy = card.y - here.y;
      const ahead = sign * (across ? dx : dy), beside = Math.abs(across ? dy : dx);
      if (ahead < 4) continue;
      const far = ahead + beside * (across ? 4 : 3);
      if (far < least) { least = far; best = card; }
    }
    if (best) this.go(best);
  }
}

function depthOf(card) { let depth = 0; for (let at = card.parent; at; at = at.parent) ++depth; return depth; }
function groupWords(group) {
  const name = group.members.length + (group.members[0].system ? ' system' : '') + (group.members.length === 1 ? ' library' : ' libraries');
  return {name, below: group.members[0].system ? '' : 'of ' + group.key, spoken: name + ' of ' + group.key + ', folded'};
}
function cardWords(library) {
  const below = library.missing ? 'not found' : library.index === 0 ? library.directory :
    [library.version, library.origin === library.directory ? shortDirectory(library.directory) : library.origin].filter(Boolean).join(' \u00b7 ');
  const line = [library.version, library.directory].filter(Boolean).join(' \u00b7 ');
  const state = library.missing ? 'missing: ' : library.culprit ? 'culprit: ' : library.loses ? 'copy, not loaded: ' : library.unloaded ? 'unloaded: ' : '';
  return {name: library.name, below, line, spoken: state + library.name + (library.version ? ' ' + library.version : '') + (library.path ? ', ' + library.path : '')};
}
const shortDirectory = (directory) => directory.length < 30 ? directory : '\u2026' + directory.slice(-28);
