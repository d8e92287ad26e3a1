// Search by a pasted message. Each line of it is compared with every known message by its words, of which the
// rare ones count most, and by the pattern that culprit knows the message by. A page is as good as the nearest
// message that leads to it, and its own words count too.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const LINES = 300, LONGEST = 1000, SHOWN = 12, ENOUGH = 0.07;
const FRAME = /^\s*(Traceback \(most recent|File "[^"]*", line \d|[~^]+$)/;  // the same in every traceback
const MATCHED = 0.65;  // words still count

// Whole names, and their parts: libcudnn_ops.so.9 -> libcudnn_ops, libcudnn, ops, cudnn, so, 9
const wordsOf = (text) => {
  const words = new Set();
  for (const name of text.replace(/([a-z])([A-Z])/g, '$1 $2').concat(' ', text).toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []) {
    for (const word of [name, ...name.split('_')]) {
      if (word.length < 2 && !/\d/.test(word)) continue;
      words.add(word);
      if (word.startsWith('lib') && word.length > 5) words.add(word.slice(3));
    }
  }
  return words;
};

// A pattern of RE2 as one of JavaScript; null where the browser cannot read it: then words alone decide.
const asRegExp = (pattern) => {
  const flags = pattern.match(/^\(\?([ims]+)\)/), rest = pattern.slice(flags ? flags[0].length : 0);
  for (const groups of ['(?<$1>', '(']) {  // a name that is there twice is an error in some browsers
    try {
      return new RegExp(rest.replaceAll(/\(\?P<(\w+)>/g, groups), flags ? flags[1] : '');
    } catch {}
  }
  return null;
};

// Whether a line is the message with other details. One that names another library is another message.
const libraryIn = (match) => match?.groups?.library?.toLowerCase().replace(/^.*[\\/]/, '').match(/^(lib)?([a-z]+)/)?.[2];
const isMessage = (message, line) => {
  message.regexp ??= asRegExp(message.pattern) ?? {exec: () => null};
  const match = message.regexp.exec(line);
  return match !== null && libraryIn(match) === libraryIn(message.regexp.exec(message.text));
};

const messages = data.messages.map(([id, text, leads, pattern]) => ({id, text, leads, pattern, words: wordsOf(text)}));
const pages = data.pages.map(([file, name, title, text]) => ({file, name, title, words: wordsOf(name + ' ' + title + ' ' + text), title_words: wordsOf(name + ' ' + title)}));

const having = new Map();  // word -> messages with it
for (const message of messages) for (const word of message.words) having.has(word) ? having.get(word).push(message) : having.set(word, [message]);
const count = new Map();
for (const thing of [...messages, ...pages]) for (const word of thing.words) count.set(word, (count.get(word) ?? 0) + 1);
const total = messages.length + pages.length;
const rarity = (word) => Math.log(1 + total / (count.get(word) ?? 1));
const lengthOf = (words) => Math.sqrt([...words].reduce((sum, word) => sum + rarity(word) ** 2, 0));
for (const message of messages) message.length = lengthOf(message.words);

function nearest(query) {
  const near = new Map();  // message -> 0 to 1
  for (const line of query) {
    const words = wordsOf(line), shared = new Map();
    for (const word of words) for (const message of having.get(word) ?? []) shared.set(message, (shared.get(message) ?? 0) + rarity(word) ** 2);
    const length = lengthOf(words);
    for (const message of messages) {
      const sum = shared.get(message) ?? 0;
      const quoted = sum > 0 && line.trim().length > 12 && message.text.includes(line.trim());
      let alike = quoted ? 1 : sum / (length * message.length || 1);
      if (sum > 0 && !quoted && isMessage(message, line)) alike = MATCHED + (1 - MATCHED) * alike;
      if (alike > (near.get(message) ?? 0)) near.set(message, alike);
    }
  }
  return near;
}

function search(text) {
  const given = text.split('\n').filter((line) => line.trim()), said = given.filter((line) => !FRAME.test(line));
  const lines = [...new Set((said.length ? said : given).map((line) => line.slice(0, LONGEST)))].slice(-LINES);
  const found = new Map();  // page -> {score, message}
  const add = (page, score, message) => {
    const best = found.get(page) ?? {page, score: 0, message: null};
    if (score > best.score) { best.score = score; best.message = message ?? best.message; }
    found.set(page, best);
  };
  const query = lines.length > 1 && lines.length < 6 ? [...lines, lines.join('\n')] : lines;
  for (const [message, alike] of nearest(query)) for (const [place, confidence] of message.leads) add(pages[place], alike * alike * confidence, message);
  const words = wordsOf(lines.slice(-20).join('\n')), all = [...words].reduce((sum, word) => sum + rarity(word), 0);
  for (const page of pages) {
    let shared = 0;
    for (const word of words) shared += page.title_words.has(word) ? rarity(word) : page.words.has(word) ? 0.5 * rarity(word) : 0;
    add(page, all ? 0.6 * (shared / all) ** 2 : 0);
    if (new RegExp('\\b' + page.name + '\\b', 'i').test(text)) add(page, 2);
  }
  return [...found.values()].filter((one) => one.score > ENOUGH).sort((a, b) => b.score - a.score || (a.page.file < b.page.file ? -1 : 1)).slice(0, SHOWN);
}

const list = document.getElementById('found'), box = document.getElementById('paste'), state = document.getElementById('state');
const element = (tag, name, text) => Object.assign(document.createElement(tag), name ? {className: name} : {}, {textContent: text});

function show() {
  const results = search(box.value.slice(-200000));
  list.replaceChildren(...results.map(({page, message}) => {
    const item = document.createElement('li'), link = element('a', '', page.title);
    const first = message && message.leads[0][0] === pages.indexOf(page);
    link.href = page.file + (first ? '#m-' + message.id : '');
    item.append(element('span', page.file.startsWith('cause-') ? 'slug' : 'code', page.name), ' ', link);
    if (message) {
      const near = element('span', 'near', 'nearest known message: ');
      near.append(element('code', 'line', message.text));
      item.append(near);
    }
    return item;
  }));
  state.textContent = !box.value.trim() ? '' : results.length ? `${results.length} ${results.length === 1 ? 'page' : 'pages'}, best first` :
    'No known message resembles this. Paste the whole error, or run culprit explain on the log.';
}
let waiting = 0;
box.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(show, 60); });
document.getElementById('search-box').hidden = false;
if (box.value) show();  // the browser kept it
document.documentElement.dataset.ready = String(Math.round(performance.now()));
