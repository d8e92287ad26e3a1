// The search box: searches names, versions and paths, in this picture first, then in the others.
function makeFinder(state) {
  const input = element('input', {type: 'search', id: 'find', placeholder: 'Find a library', autocomplete: 'off', spellcheck: 'false', role: 'combobox',
    'aria-label': 'Find a library', 'aria-expanded': 'false', 'aria-controls': 'found', 'aria-autocomplete': 'list'});
  const list = element('ul', {class: 'found', id: 'found', role: 'listbox', 'aria-label': 'Libraries found'});
  list.hidden = true;
  const box = element('div', {class: 'finder'}, input, list);
  let results = [], active = -1;

  const score = (library, wanted) => {
    const name = library.name.toLowerCase();
    if (name.startsWith(wanted) || name.startsWith('lib' + wanted)) return 0;
    if (name.includes(wanted)) return 1;
    return (library.title + ' ' + library.version + ' ' + library.path).toLowerCase().includes(wanted) ? 2 : 3;
  };
  const search = (wanted) => {
    const hits = [];
    state.pictures.forEach((packed, place) => {
      const here = place === state.shown;
      if (!here && hits.length >= 60) return;
      const picture = state.picture(place);
      for (const library of picture.libraries) {
        const value = score(library, wanted);
        if (value < 3) hits.push({library, place, value: value + (here ? 0 : 10) + (library.loses ? 0.5 : 0) - (library.culprit ? 0.4 : 0)});
      }
    });
    return hits.sort((a, b) => a.value - b.value).slice(0, 60);
  };
  const close = () => { list.hidden = true; input.setAttribute('aria-expanded', 'false'); input.removeAttribute('aria-activedescendant'); };
  const activate = (place) => {
    active = place;
    [...list.children].forEach((item, at) => item.setAttribute('aria-selected', at === place ? 'true' : 'false'));
    if (place >= 0) { input.setAttribute('aria-activedescendant', list.children[place].id); list.children[place].scrollIntoView({block: 'nearest'}); }
  };
  const choose = (place) => {
    const hit = results[place];
    if (!hit) return;
    state.show(hit.place);
    state.drawing.find(hit.library);
    close();
  };
  input.addEventListener('input', () => {
    const wanted = input.value.trim().toLowerCase();
    if (wanted === '') { close(); results = []; state.drawing.highlight(null); return; }
    results = search(wanted);
    list.replaceChildren(...results.map((hit, place) => {
      const item = element('li', {role: 'option', id: 'found-' + place, 'aria-selected': 'false'}, hit.library.name,
        element('small', {}, [hit.library.version, hit.library.missing ? 'not found' : hit.library.loses ? 'not loaded' : '', hit.library.directory,
          hit.place === state.shown ? '' : 'in ' + state.pictures[hit.place].title].filter(Boolean).join(' \u00b7 ')));
      item.addEventListener('pointerdown', (event) => { event.preventDefault(); choose(place); });
      return item;
    }));
    if (results.length === 0) list.append(element('li', {'aria-disabled': 'true'}, 'No library found'));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    activate(results.length ? 0 : -1);
    say(results.length + (results.length === 60 ? ' or more' : '') + ' found');
    state.drawing.highlight((library) => score(library, wanted) < 3);
    // The best match scrolls into view while typing; Enter selects it.
    const first = results.find((hit) => hit.place === state.shown);
    const card = first && state.drawing.cardOf.get(first.library);
    if (card) state.drawing.centre(card, true);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (results.length) activate((active + (event.key === 'ArrowDown' ? 1 : results.length - 1)) % results.length);
    } else if (event.key === 'Enter') {
      choose(active);
    } else if (event.key === 'Escape') {
      input.value = '';
      results = [];
      close();
      state.drawing.highlight(null);
    } else {
      return;
    }
    event.preventDefault();
  });
  input.addEventListener('blur', () => { close(); state.drawing.highlight(null); });
  return box;
}
