// The details of one library: problem, file, what requested it, every place that was searched.
const VIA = {'loaded-before': 'loaded before', rpath: 'RPATH', ld_library_path: 'LD_LIBRARY_PATH', runpath: 'RUNPATH', cache: 'ld.so.cache',
  default: 'default directories', ld_preload: 'LD_PRELOAD', path: 'its full path', 'exe-dir': 'directory of the program', 'system-dir': 'system directory',
  'known-dll': 'KnownDLLs', add_dll_directory: 'AddDllDirectory'};
const inWords = (via) => VIA[via] || via;

// A path that may be wrapped after its slashes.
function pathWords(path) {
  const span = element('span', {class: 'path'});
  for (const part of path.split(/(?=[\\/])/)) span.append(part, element('wbr'));
  return span;
}

function copyButton(words) {
  const button = element('button', {type: 'button', class: 'copy', 'aria-label': 'Copy: ' + words}, 'Copy');
  button.addEventListener('click', async () => {
    const done = await copied(words);
    button.textContent = done ? 'Copied' : 'Press Ctrl+C';
    say(done ? 'Copied' : 'Selected; press Ctrl+C');
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return button;
}
async function copied(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch (refused) {
    const area = element('textarea', {class: 'hidden', readonly: ''});
    area.value = words;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

function showFacts(panel, library, picture, find) {
  panel.replaceChildren();
  if (!library) { showSummary(panel, picture); return; }
  panel.append(element('h3', {}, library.name));
  if (library.problem) panel.append(element('p', {class: library.culprit ? 'problem' : 'problem mild'}, library.problem));
  const list = element('dl');
  const row = (name, value) => { if (value) list.append(element('dt', {}, name), element('dd', {}, value)); };
  row('what', library.title);
  row('version', library.version || (library.title && !library.missing ? 'not readable' : ''));
  row('file', library.path && pathWords(library.path));
  row('from', library.missing ? '' : library.origin);
  row('found by', library.via && inWords(library.via));
  if (library.seconds >= 0) row('loaded', library.seconds.toFixed(3) + ' s after the start');
  if (library.loses) row('state', 'not loaded: another copy is used');
  if (library.unloaded) row('state', 'opened, then unloaded: one of its dependencies failed');
  panel.append(list);
  if (library.path) { const copy = copyButton(library.path); copy.textContent = 'Copy'; list.lastElementChild.after(element('dt', {}, ''), element('dd', {}, copy)); }
  const links = (title, libraries) => {
    if (libraries.length === 0) return;
    panel.append(element('h4', {}, title), element('ul', {}, ...libraries.slice(0, 40).map((other) =>
      element('li', {}, element('button', {type: 'button', class: 'to', onclick: () => find(other)}, other.name + (other.loses && other.version ? ' ' + other.version : ''))))));
    if (libraries.length > 40) panel.append(element('p', {class: 'hint'}, 'and ' + (libraries.length - 40) + ' more'));
  };
  const findings = library.findings.map((place) => document.getElementById('finding-' + place)).filter(Boolean);
  for (const finding of findings) {
    const code = finding.querySelector('.code');
    panel.append(element('p', {class: 'hint'}, element('a', {href: '#' + finding.id}, 'Finding ' + (code ? code.textContent : ''))));
  }
  const places = library.places();
  if (places.length > 0) {
    panel.append(element('h4', {}, 'Searched, in this order'));
    panel.append(element('ol', {class: 'places'}, ...places.map((at) => {
      const item = element('li', {class: at.outcome === 'found' ? 'found-here' : ''}, element('div', {class: 'at'}, pathWords(at.outcome === 'found' || places.length === 1 ? at.path : at.directory || at.path)),
        element('div', {class: 'source'}, inWords(at.via) + ': ' + at.outcome + (at.detail ? ', ' + at.detail : '')));
      if (at.origin) item.append(element('div', {class: 'source'}, 'of ', pathWords(at.origin)));
      return item;
    })));
  }
  if (library.loses) links('Loaded instead', [picture.libraries[library.winner]]);
  links('Other copies, not loaded', library.losers);
  const unique = (list_) => [...new Set(list_)];
  links('Needed by', unique(library.askedBy.map((edge) => picture.libraries[edge.from])));
  links('Needs', unique(library.asks.map((edge) => picture.libraries[edge.to])));
}

function showSummary(panel, picture) {
  const count = (test) => picture.libraries.filter(test).length;
  const line = (number, words) => number > 0 ? element('li', {}, number + ' ' + words) : '';
  panel.append(element('h3', {}, 'This process'), element('ul', {},
    line(count((library) => !library.loses && !library.missing) - 1, 'libraries loaded'),
    line(count((library) => library.title !== '' && !library.loses && !library.missing), 'of them are CUDA libraries'),
    line(count((library) => library.loses), 'other copies, not loaded'),
    line(count((library) => library.missing), 'not found')),
  element('p', {class: 'hint'}, 'Select a library to see where it was searched for and why this file was chosen.'));
}
