// Sets the page up: theme, copy buttons, picture, timeline, print.
const data = JSON.parse(document.getElementById('data').textContent);
const announcer = element('div', {class: 'hidden', role: 'status', 'aria-live': 'polite'});
document.body.append(announcer);
function say(words) { announcer.textContent = words; }

function makeTheme() {
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const button = element('button', {type: 'button', id: 'theme'});
  const label = () => { button.textContent = dark() ? 'Light' : 'Dark'; button.setAttribute('aria-label', dark() ? 'Light colours' : 'Dark colours'); };
  button.addEventListener('click', () => { root.dataset.theme = dark() ? 'light' : 'dark'; label(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', label);
  label();
  const print = element('button', {type: 'button', onclick: () => window.print()}, 'Print');
  document.getElementById('tools').append(button, print);
}

function makePictures(section) {
  const cache = [];
  const state = {pictures: data.pictures, shown: -1, picture: (place) => cache[place] ??= unpack(data, data.pictures[place])};
  const canvas = element('div', {class: 'canvas'});
  const panel = element('div', {class: 'facts', role: 'region', 'aria-label': 'Library details', tabindex: '0'});
  const stage = element('div', {class: 'stage'}, canvas, panel);
  const ends = element('p', {class: 'ends'});
  const legend = element('ul', {class: 'legend', 'aria-label': 'Colours'});
  const drawing = new Picture(canvas, (library) => showFacts(panel, library, state.picture(state.shown), find));
  const find = (library) => drawing.find(library, false);
  state.drawing = drawing;
  let by = 'version';

  const chooser = element('select', {id: 'process', 'aria-label': 'Process'}, ...data.pictures.map((picture, place) => element('option', {value: place}, picture.title)));
  chooser.addEventListener('change', () => state.show(Number(chooser.value)));
  const showLegend = () => {
    const item = (swatch, words) => element('li', {}, swatch, words);
    const named = (name) => element('span', {class: 'swatch ' + name});
    const picture = state.picture(state.shown);
    const has = (test) => picture.libraries.some(test);
    const colours = drawing.colours.legend.map(([key, colour]) => {
      const swatch = element('span', {class: 'swatch'});
      swatch.style.background = colour;
      return item(swatch, key);
    });
    legend.replaceChildren(...[has((library) => library.culprit) && item(named('culprit'), 'culprit'), picture.edges.some((edge) => edge.mixed) && item(named('mixed'), 'version mismatch'),
      has((library) => library.missing) && item(named('missing'), 'not found'), has((library) => library.loses) && item(named('loses'), 'copy, not loaded'),
      has((library) => library.unloaded) && item(element('i', {}, 'italic'), 'opened, then unloaded'), ...colours].filter(Boolean));
  };
  const choices = ['version', 'origin'].map((name) => {
    const button = element('button', {type: 'button', 'aria-pressed': String(name === by)}, 'By ' + name);
    button.addEventListener('click', () => {
      by = name;
      choices.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
      drawing.colourBy(by);
      showLegend();
    });
    return button;
  });
  state.show = (place) => {
    if (state.shown === place) return;
    state.shown = place;
    chooser.value = place;
    const picture = state.picture(place);
    ends.hidden = picture.error === '';
    ends.textContent = picture.error;
    sizeStage(stage, picture);
    drawing.show(picture, by);
    const first = picture.libraries.find((library) => library.culprit) || picture.libraries.find((library) => library.suspect);
    if (first && drawing.cardOf.get(first)) drawing.select(drawing.cardOf.get(first)); else showFacts(panel, null, picture, find);
    showLegend();
  };
  const control = (words, label, action) => element('button', {type: 'button', 'aria-label': label, title: label, onclick: action}, words);
  const zoom = element('div', {class: 'zoom', role: 'group', 'aria-label': 'Size'}, control('\u2212', 'Smaller', () => drawing.zoom(0.8)), control('+', 'Larger', () => drawing.zoom(1.25)), control('All', 'Show all', () => drawing.fit()));
  section.append(element('div', {class: 'bar'}, chooser, makeFinder(state), element('span', {class: 'choice', role: 'group', 'aria-label': 'Colours'}, ...choices), zoom),
    ends, stage, legend,
    element('p', {class: 'hint'}, 'Drag to move. Click the picture, then use the wheel to zoom. Arrow keys move between libraries, + and \u2212 zoom, 0 shows everything.'));
  if (data.left_out) section.append(element('p', {class: 'hint'}, data.left_out + ' more processes are omitted to keep this page small.'));
  chooser.hidden = data.pictures.length < 2;
  state.show(0);
  addEventListener('beforeprint', () => drawing.fit());
  addEventListener('afterprint', () => drawing.frame());
  for (const article of document.querySelectorAll('article[id^="finding-"]')) addShowButton(article, state);
}

// As tall as the picture needs, within reason.
function sizeStage(stage, picture) {
  const libraries = picture.libraries.filter(matters).length;
  stage.style.height = Math.min(720, Math.max(440, 300 + libraries * 9)) + 'px';
}

function addShowButton(article, state) {
  const place = Number(article.id.slice('finding-'.length));
  const at = data.pictures.findIndex((picture) => picture.libraries.some((row) => row[11].includes(place)));
  if (at < 0 || !article.closest('#findings')) return;
  const button = element('button', {type: 'button', class: 'show'}, 'Show in the picture');
  button.addEventListener('click', () => {
    state.show(at);
    const library = state.picture(at).libraries.find((known) => known.findings.includes(place));
    state.drawing.find(library);
    document.getElementById('picture').scrollIntoView({behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
    state.drawing.svg.focus({preventScroll: true});
  });
  article.append(button);
}

const began = performance.now();
makeTheme();
for (const block of document.querySelectorAll('.command')) block.append(copyButton(block.querySelector('code').textContent));
const pictureSection = document.getElementById('picture');
if (pictureSection && data.pictures.length) makePictures(pictureSection);
const timelineSection = document.getElementById('timeline');
if (timelineSection && data.timeline.length) drawTimeline(timelineSection, data);
// Collapses again after printing what was collapsed before.
let unfolded = [];
addEventListener('beforeprint', () => { unfolded = [...document.querySelectorAll('details:not([open])')]; unfolded.forEach((fold) => { fold.open = true; }); });
addEventListener('afterprint', () => { unfolded.forEach((fold) => { fold.open = false; }); });
document.documentElement.dataset.drawn = Math.round(performance.now() - began);
