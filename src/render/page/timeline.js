// The events of a run: one lane per process, loads as ticks, failures as numbered dots, and the list of failures.
function drawTimeline(section, data) {
  const events = data.timeline.map(([seconds, process, kind, text, bad]) =>
    ({seconds, process: data.strings[process], kind: data.strings[kind], text: data.strings[text], bad: bad === 1}));
  const processes = lanesOf(events);
  const last = Math.max(...events.map((event) => event.seconds), 0.001);
  const told = events.filter((event) => event.bad || !['load', 'load failed', 'start'].includes(event.kind));
  told.forEach((event, place) => { event.number = place + 1; });
  const holder = element('div', {class: 'times'});
  section.append(holder);
  const draw = () => {
    const width = Math.max(320, holder.clientWidth), left = processes.length > 1 ? 150 : 12, right = width - 14, lane = 34;
    const x = (seconds) => left + (right - left) * seconds / last;
    const height = processes.length * lane + 34;
    const svg = shape('svg', {width, height, role: 'img', 'aria-label': events.length + ' events in ' + last.toFixed(1) + ' seconds; the list below shows them'});
    processes.forEach((process, row) => {
      const y = 20 + row * lane;
      svg.append(shape('path', {class: 'lane', d: 'M' + left + ' ' + y + 'H' + right}));
      if (processes.length > 1) svg.append(shape('text', {x: 0, y: y + 4}, fitted(process, left - 14, '400 11px')));
      let d = '', lastX = -9;
      for (const event of events) {
        if (event.lane !== process || !event.kind.startsWith('load') || x(event.seconds) - lastX < 1) continue;
        lastX = x(event.seconds);
        d += 'M' + lastX.toFixed(1) + ' ' + (y - 6) + 'v12';
      }
      svg.append(shape('path', {class: 'tick', d}));
      // Dots that would touch are stacked.
      let free = -99;
      for (const event of told) {
        if (event.lane !== process) continue;
        const at = Math.min(Math.max(x(event.seconds), free + 19), right);
        if (at - x(event.seconds) > 60 && !event.bad) continue;
        free = at;
        svg.append(shape('circle', {class: event.bad ? 'dot' : 'dot plain', cx: at, cy: y, r: 8.5}), shape('text', {class: 'mark', x: at, y: y + 3.5}, event.number > 99 ? '\u2022' : event.number));
      }
    });
    const step = niceStep(last, (right - left) / 90);
    for (let seconds = 0; seconds <= last + step / 1000; seconds += step)
      svg.append(shape('text', {x: x(seconds), y: height - 4, 'text-anchor': seconds === 0 ? 'start' : 'middle'}, +seconds.toPrecision(6) + ' s'));
    holder.replaceChildren(svg);
  };
  draw();
  addEventListener('resize', draw);
  const item = (event) => element('li', {class: event.bad ? 'bad' : ''}, element('span', {class: 'number'}, event.number ? String(event.number) : ''),
    element('span', {class: 'when'}, event.seconds.toFixed(3) + ' s'), element('span', {}, element('span', {class: 'what'}, event.kind + ': '), event.text,
      processes.length > 1 ? element('span', {class: 'source'}, event.process) : ''));
  section.append(element('ol', {class: 'happened'}, ...told.slice(0, 100).map(item)));
  const all = element('details', {}, element('summary', {}, 'All ' + events.length + ' events'));
  all.addEventListener('toggle', () => { if (all.children.length === 1) all.append(element('ol', {class: 'happened'}, ...events.map(item))); });
  section.append(all);
}
// The lanes: processes in which something failed or much was loaded; the others share one.
const LANES = 4;
function lanesOf(events) {
  const weights = new Map();
  for (const event of events) weights.set(event.process, (weights.get(event.process) || 0) + (event.bad ? 1000 : 1));
  const chosen = new Set([...weights.keys()].sort((a, b) => weights.get(b) - weights.get(a)).slice(0, weights.size > LANES + 1 ? LANES : LANES + 1));
  const own = new Set([...weights.keys()].filter((process) => chosen.has(process)));  // in the order of their start
  const rest = (weights.size - own.size) + ' other processes';
  for (const event of events) event.lane = own.has(event.process) ? event.process : rest;
  return [...own, ...(own.size < weights.size ? [rest] : [])];
}
function niceStep(range, count) {
  const rough = range / Math.max(1, Math.floor(count)), power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}
