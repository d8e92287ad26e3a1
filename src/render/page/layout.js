// Unpacks the data of the page, and computes where each library is in the picture.
//
// A picture is a tree: each library is to the right of the one that loaded it. Libraries that load nothing
// themselves form one block, so that one line leads to twenty libraries instead of twenty lines. Boxes are packed
// and never overlap. The path to the culprit comes first and runs along the top. Libraries of the operating system,
// and of packages unrelated to CUDA, are collapsed into one card each until somebody expands them.
const FLAG = {culprit: 1, suspect: 2, loses: 4, missing: 8, unloaded: 16, system: 32};
const CARD = {height: 44, loser: 24, gapX: 38, gapY: 8, pad: 9, least: 150, most: 232};
const DEEPEST = 200;  // below this, everything is in one column

function unpack(data, picture) {
  const text = (place) => data.strings[place];
  const joined = (directory, name) =>
    directory === '' || directory.endsWith(data.separator) ? directory + name : directory + data.separator + name;
  const libraries = picture.libraries.map((row, index) => {
    const library = {index, name: text(row[0]), version: text(row[2]), title: text(row[3]), origin: text(row[4]),
      via: text(row[5]), problem: text(row[6]), seconds: row[8], winner: row[9], findings: row[11], losers: [], asks: [], askedBy: []};
    for (const [name, bit] of Object.entries(FLAG)) library[name] = (row[7] & bit) !== 0;
    library.path = row[1] < 0 ? '' : joined(text(row[1]), library.name);
    library.directory = row[1] < 0 ? '' : text(row[1]);
    library.places = () => row[10].map((step) => {
      const [directory, via, outcome, detail, origin, name] = data.steps[step];
      return {directory: text(directory), path: joined(text(directory), name < 0 ? library.name : text(name)), via: text(via),
        outcome: text(outcome), detail: text(detail), origin: text(origin)};
    });
    return library;
  });
  const edges = [];
  for (let i = 0; i + 2 < picture.edges.length; i += 3) {
    const edge = {from: picture.edges[i], to: picture.edges[i + 1], opened: (picture.edges[i + 2] & 1) !== 0,
      mixed: (picture.edges[i + 2] & 2) !== 0};
    edges.push(edge);
    libraries[edge.from].asks.push(edge);
    libraries[edge.to].askedBy.push(edge);
  }
  for (const library of libraries) if (library.loses) libraries[library.winner].losers.push(library);
  giveParents(libraries);
  // What ends the load is a culprit, whether or not a rule mentions it.
  for (const library of libraries) if (library.missing && picture.error.includes(library.name)) library.culprit = true;
  return {title: picture.title, error: picture.error, libraries, edges};
}

// The first requester is the parent; what has no path to the program is attached to it directly.
function giveParents(libraries) {
  for (const library of libraries) {
    library.parent = library.index === 0 || library.loses ? null : libraries[library.askedBy.length ? library.askedBy[0].from : 0];
  }
  for (const library of libraries) {
    let above = library, steps = 0;
    while (above.parent && above.parent !== library && steps <= DEEPEST) { above = above.parent; ++steps; }
    if (above.index !== 0 && !library.loses) library.parent = libraries[0];
    if (steps > DEEPEST) library.parent = libraries[0];
  }
}

const isBad = (library) => library.culprit;
const matters = (library) => library.culprit || library.missing || library.suspect || library.unloaded || library.title !== '' ||
  library.findings.length > 0 || library.index === 0 || library.askedBy.some((edge) => edge.mixed);

// The cards: libraries, and groups of collapsed ones. `open`: keys of groups that are expanded.
function cardsOf(picture, open) {
  const shown = new Set();
  const show = (library) => { for (let at = library; at && !shown.has(at); at = at.parent) shown.add(at); };
  const folded = new Map();
  for (const library of picture.libraries) {
    if (library.loses) continue;
    const key = library.system ? (library.origin || 'system') : library.origin;
    if (matters(library) || open.has(key)) { show(library); continue; }
    if (!folded.has(key)) folded.set(key, []);
    folded.get(key).push(library);
  }
  const cards = new Map();
  const groups = [];
  for (const [key, members] of folded) {
    const left = members.filter((library) => !shown.has(library));
    if (left.length === 0) continue;
    if (left.length < 3 && !left[0].system) { left.forEach(show); continue; }
    groups.push({key, members: left});
  }
  const nearest = (library) => { let at = library.parent; while (at && !shown.has(at)) at = at.parent; return at || picture.libraries[0]; };
  for (const library of shown) cards.set(library, {library, children: [], losers: library.losers, bad: isBad(library)});
  for (const library of shown) if (library.parent) cards.get(library.parent).children.push(cards.get(library));
  for (const group of groups) cards.get(nearest(group.members[0])).children.push({group, children: [], losers: [], bad: false});
  return {root: cards.get(picture.libraries[0]), cards: [...cards.values()]};
}

// Worst first: the path to a culprit runs along the top.
function weigh(card) {
  card.weight = card.group ? -1 : card.library.culprit ? 8 : card.library.suspect ? 4 : card.library.missing ? 3 :
    card.library.title ? 2 : 0;
  for (const child of card.children) card.weight = Math.max(card.weight, weigh(child));
  card.children.sort((a, b) => b.weight - a.weight || (a.group ? 1 : 0) - (b.group ? 1 : 0) ||
    (b.children.length ? 1 : 0) - (a.children.length ? 1 : 0));
  return card.weight;
}

const cardHeight = (card) => CARD.height + card.losers.length * (CARD.loser + 3);

// A block of leaves: columns with about the shape of a screen.
function packBlock(leaves, width) {
  const count = Math.max(1, Math.round(Math.sqrt(leaves.length * 0.42)));
  const total = leaves.reduce((sum, card) => sum + cardHeight(card) + CARD.gapY, 0);
  const columns = [[]];
  let height = 0, tallest = 0;
  for (const card of leaves) {
    if (height > 0 && height + cardHeight(card) / 2 > total / count && columns.length < count) { columns.push([]); height = 0; }
    card.blockX = CARD.pad + (columns.length - 1) * (width + CARD.gapY);
    card.blockY = CARD.pad + height;
    height += cardHeight(card) + CARD.gapY;
    tallest = Math.max(tallest, height);
    columns.at(-1).push(card);
  }
  return {leaves, width: 2 * CARD.pad + columns.length * (width + CARD.gapY) - CARD.gapY, height: 2 * CARD.pad + tallest - CARD.gapY};
}

// Positions `card` and each card below it, in columns: `free` is how far down each column is used. A parent is on
// the line of its first child, and the children of one parent follow each other, so that no two trunks cross.
function place(card, column, top, width, free, blocks) {
  const unit = width + CARD.gapX;
  const leaves = card.children.filter((child) => child.children.length === 0);
  const branches = card.children.filter((child) => child.children.length > 0);
  const leavesFirst = leaves.length > 0 && (branches.length === 0 || leaves[0].weight > branches[0].weight);
  let y = Math.max(top, free[column] || 0), first = null;
  const addLeaves = () => {
    if (leaves.length === 0) return;
    const block = packBlock(leaves, width);
    const last = column + Math.max(1, Math.ceil((block.width - 2 * CARD.pad) / unit));
    block.x = (column + 1) * unit - CARD.pad;
    block.y = y;
    for (let at = column + 1; at <= last; ++at) block.y = Math.max(block.y, free[at] || 0);
    // Its first card is on the line of its parent.
    const lone = leaves.length === 1;
    if (!lone && block.y > y) block.y += CARD.pad;
    block.y -= CARD.pad;
    for (let at = column + 1; at <= last; ++at) free[at] = block.y + block.height - (lone ? CARD.pad : 0) + CARD.gapY + 12;
    for (const leaf of leaves) Object.assign(leaf, {x: block.x + leaf.blockX, y: block.y + leaf.blockY, width, height: CARD.height, block});
    if (!lone) blocks.push(block);
    first ??= block.y + CARD.pad;
  };
  if (leavesFirst) addLeaves();
  for (const branch of branches) {
    place(branch, column + 1, y, width, free, blocks);
    first ??= branch.y;
  }
  if (!leavesFirst) addLeaves();
  Object.assign(card, {x: column * unit, y: first ?? y, width, height: CARD.height});
  free[column] = card.y + cardHeight(card) + CARD.gapY + 12;
}

function layOut(picture, open, measure) {
  const {root, cards} = cardsOf(picture, open);
  weigh(root);
  let width = CARD.least;
  for (const card of cards) width = Math.max(width, measure(card.library.name) + 34);
  width = Math.min(width, CARD.most);
  const blocks = [];
  place(root, 0, CARD.pad, width, [], blocks);
  const all = [];
  const collect = (card) => { all.push(card); for (const child of card.children) { child.parent = card; collect(child); } };
  collect(root);
  for (const card of all) {
    card.losers = card.losers.map((library, index) => ({library, children: [], losers: [], parent: card, x: card.x + 14,
      y: card.y + CARD.height + 3 + index * (CARD.loser + 3), width: card.width - 14, height: CARD.loser}));
  }
  const edge = (list, far) => list.reduce((most, box) => Math.max(most, far(box)), 0);
  return {root, cards: all, blocks, width: Math.max(edge(all, (card) => card.x + card.width), edge(blocks, (block) => block.x + block.width)),
    height: Math.max(edge(all, (card) => card.y + cardHeight(card)), edge(blocks, (block) => block.y + block.height))};
}
