// Made from page/ by `deno task page`; not to be edited.

export const PAGE_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>ccrawl</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="page.css">
    <script src="page.js" type="module"></script>
  </head>
  <body>
    <header>
      <h1 id="command">ccrawl</h1>
      <p id="about"></p>
      <p id="state"
        role="status"><span class="dot"></span> <span id="state-text">connecting</span></p>
    </header>
    <noscript><p class="alone">This page draws its figures with JavaScript. The same figures, as text: <a href="metrics">/metrics</a></p></noscript>
    <main hidden>
      <section class="tiles" aria-label="Now">
        <div class="tile lead">
          <h2>Pages a second</h2>
          <p class="figure" id="rate"></p>
          <p class="note" id="rate-note"></p>
        </div>
        <div class="tile">
          <h2>Fetched</h2>
          <p class="figure" id="fetched"></p>
          <p class="note" id="fetched-note"></p>
        </div>
        <div class="tile">
          <h2>Failed</h2>
          <p class="figure" id="failed"></p>
          <p class="note" id="failed-note"></p>
        </div>
        <div class="tile">
          <h2>In flight</h2>
          <p class="figure" id="flight"></p>
          <p class="note" id="flight-note"></p>
        </div>
      </section>

      <section class="card wide">
        <div class="head">
          <h2>Pages a second</h2>
          <div class="legend" id="rate-legend"></div>
          <div class="switch" role="group" aria-label="Span of the charts">
            <button type="button" data-span="recent" aria-pressed="true">15 min</button>
            <button type="button" data-span="whole" aria-pressed="false">Whole run</button>
          </div>
        </div>
        <div class="chart" id="rate-chart"></div>
      </section>

      <section class="card">
        <div
          class="head"><h2>Where worker time goes</h2><span class="note" id="time-note"></span></div>
        <div class="stack" id="time-stack"></div>
        <table id="time-table">
          <thead>
            <tr>
              <th scope="col"></th>
              <th scope="col">last minute</th>
              <th scope="col">whole run</th>
            </tr>
          </thead>
          <tbody></tbody>
        </table>
      </section>

      <section class="card">
        <div class="head"><h2>Failures by class</h2><span class="note" id="fail-note"></span></div>
        <div class="bars" id="fail-bars"></div>
        <div id="shapes"></div>
      </section>

      <section class="card">
        <div class="head">
          <h2>Queues against their bounds</h2>
        </div>
        <div class="bars" id="queue-bars"></div>
      </section>

      <section class="card">
        <div class="head"><h2>Memory</h2><span class="note" id="memory-note"></span></div>
        <div class="chart low" id="memory-chart"></div>
      </section>

      <section class="card third" id="durable" hidden>
        <div class="head">
          <h2>What is durable</h2>
        </div>
        <dl id="durable-list"></dl>
      </section>

      <section class="card third">
        <div class="head">
          <h2>Names and robots.txt</h2>
        </div>
        <dl id="web-list"></dl>
      </section>

      <section class="card third">
        <div class="head">
          <h2>The run</h2>
        </div>
        <dl id="run-list"></dl>
      </section>
    </main>
    <footer>Refreshed every two seconds. For Prometheus: <a href="metrics">/metrics</a></footer>
  </body>
</html>
`;

export const PAGE_CSS = `:root {
  color-scheme: light dark;
  --page: #f6f6f3;
  --card: #ffffff;
  --ink: #191b1f;
  --soft: #5d636c;
  --line: #e3e3de;
  --track: #ecece8;
  --blue: #2563c9;
  --blue-fill: rgb(37 99 201 / 0.13);
  --red: #c2412b;
  --amber: #b7791f;
  --violet: #7c56c4;
  --rose: #b23a78;
  --teal: #17807e;
  --grey: #c3c5c2;
  --good: #2b8a4b;
}

@media (prefers-color-scheme: dark) {
  :root {
    --page: #111316;
    --card: #1a1d21;
    --ink: #e9e9e6;
    --soft: #9aa1ab;
    --line: #2a2e34;
    --track: #272b31;
    --blue: #6ea1f5;
    --blue-fill: rgb(110 161 245 / 0.17);
    --red: #f0806a;
    --amber: #dfae5a;
    --violet: #b198ee;
    --rose: #e88bb8;
    --teal: #5cc0bc;
    --grey: #4a4f57;
    --good: #63c486;
  }
}

* {
  box-sizing: border-box;
}

body {
  margin: 0 auto;
  max-width: 1120px;
  padding: 28px 24px 40px;
  background: var(--page);
  color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums;
  -webkit-text-size-adjust: 100%;
}

h1,
h2,
p,
dl,
dd,
table {
  margin: 0;
}

header {
  display: grid;
  grid-template-columns: 1fr auto;
  gap: 2px 16px;
  align-items: baseline;
  margin-bottom: 20px;
}
h1 {
  font-size: 22px;
  font-weight: 650;
  letter-spacing: -0.01em;
}
#about {
  grid-row: 2;
  grid-column: 1 / -1;
  color: var(--soft);
  overflow-wrap: anywhere;
}
#state {
  color: var(--soft);
  white-space: nowrap;
}
.dot {
  display: inline-block;
  width: 9px;
  height: 9px;
  margin-right: 3px;
  border-radius: 50%;
  background: var(--grey);
}
.live .dot {
  background: var(--good);
}
.lost .dot {
  background: var(--red);
}
.lost #state {
  color: var(--red);
}
.lost main {
  opacity: 0.55;
}

main {
  display: grid;
  grid-template-columns: repeat(6, minmax(0, 1fr));
  gap: 14px;
}
main[hidden],
section[hidden] {
  display: none;
}

.tiles {
  display: grid;
  grid-template-columns: 1.35fr 1fr 1fr 1fr;
  gap: 14px;
}
.tile,
.card {
  min-width: 0;
  padding: 16px 18px;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 10px;
}
h2 {
  font-size: 13px;
  font-weight: 600;
  color: var(--soft);
}
.card {
  display: flex;
  flex-direction: column;
  grid-column: span 3;
}
.third {
  grid-column: span 2;
}
main:has(#durable[hidden]) .third {
  grid-column: span 3;
}
.card h2 {
  font-size: 15px;
  color: var(--ink);
}
.figure {
  margin-top: 2px;
  font-size: 30px;
  font-weight: 600;
  line-height: 1.15;
  letter-spacing: -0.02em;
  white-space: nowrap;
}
.lead .figure {
  font-size: 42px;
  line-height: 1.05;
}
.tile {
  display: flex;
  flex-direction: column;
}
.tile .note {
  margin-top: auto;
  padding-top: 6px;
}
.note {
  font-size: 13px;
  color: var(--soft);
}

.head {
  display: flex;
  flex-wrap: wrap;
  gap: 6px 16px;
  align-items: baseline;
  margin-bottom: 12px;
}
.head .note {
  margin-left: auto;
}
.legend {
  display: flex;
  gap: 14px;
  font-size: 13px;
  color: var(--soft);
}
.key {
  display: inline-block;
  width: 10px;
  height: 10px;
  margin-right: 6px;
  border-radius: 3px;
}
.switch {
  display: flex;
  margin-left: auto;
  border: 1px solid var(--line);
  border-radius: 7px;
  overflow: hidden;
}
.switch button {
  padding: 4px 11px;
  border: 0;
  background: none;
  color: var(--soft);
  font: inherit;
  font-size: 13px;
  cursor: pointer;
}
.switch button[aria-pressed="true"] {
  background: var(--track);
  color: var(--ink);
  font-weight: 600;
}
.switch button:focus-visible {
  outline: 2px solid var(--blue);
  outline-offset: -2px;
}

.chart {
  position: relative;
  height: 220px;
}
.chart.low {
  flex: 1;
  height: auto;
  min-height: 160px;
}
.chart svg {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  overflow: visible;
}
.chart text {
  fill: var(--soft);
  font-size: 12px;
}
.grid {
  stroke: var(--line);
  stroke-width: 1;
  shape-rendering: crispEdges;
}
.axis {
  stroke: var(--grey);
  stroke-width: 1;
  shape-rendering: crispEdges;
}
.hair {
  stroke: var(--soft);
  stroke-width: 1;
  shape-rendering: crispEdges;
}
.mark {
  fill: none;
  stroke-width: 1.75;
  stroke-linejoin: round;
  stroke-linecap: round;
}
.tip {
  position: absolute;
  top: 4px;
  padding: 5px 9px;
  border: 1px solid var(--line);
  border-radius: 7px;
  background: var(--card);
  font-size: 13px;
  line-height: 1.4;
  white-space: nowrap;
  pointer-events: none;
  box-shadow: 0 2px 10px rgb(0 0 0 / 0.1);
}
.tip[hidden] {
  display: none;
}

.stack {
  display: flex;
  gap: 2px;
  height: 22px;
  margin-bottom: 12px;
  border-radius: 5px;
  overflow: hidden;
  background: var(--track);
}
.stack div {
  min-width: 0;
}
table {
  width: 100%;
  border-collapse: collapse;
  font-size: 14px;
}
th {
  font-weight: 400;
  color: var(--soft);
  font-size: 13px;
  text-align: right;
  padding: 0 0 4px 12px;
}
td {
  padding: 4px 0 4px 12px;
  text-align: right;
  border-top: 1px solid var(--line);
  white-space: nowrap;
}
td:first-child,
th:first-child {
  padding-left: 0;
  text-align: left;
  white-space: normal;
}

.bars {
  display: grid;
  grid-template-columns: max-content minmax(40px, 1fr) max-content;
  gap: 9px 12px;
  align-items: center;
  font-size: 14px;
}
.bars .end {
  text-align: right;
  white-space: nowrap;
}
.bars .part {
  display: inline-block;
  min-width: 4.2em;
  color: var(--soft);
  font-size: 13px;
}
.bars .end small {
  color: var(--soft);
  font-size: 13px;
}
.track {
  position: relative;
  height: 12px;
  border-radius: 4px;
  background: var(--track);
}
.track .fill {
  height: 100%;
  border-radius: 4px;
}
.track .peak {
  position: absolute;
  top: -3px;
  bottom: -3px;
  width: 2px;
  margin-left: -1px;
  background: var(--ink);
  border-radius: 1px;
}
.below {
  grid-column: 1 / -1;
  margin-top: -2px;
  font-size: 13px;
  color: var(--soft);
}
#shapes {
  margin-top: 12px;
  font-size: 13px;
  color: var(--soft);
}
#shapes p {
  overflow-wrap: anywhere;
}
code {
  unicode-bidi: isolate;
  font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  color: var(--ink);
}

dl {
  display: grid;
  grid-template-columns: max-content minmax(0, 1fr);
  gap: 6px 16px;
  font-size: 14px;
}
dt {
  color: var(--soft);
}
dd {
  text-align: right;
  overflow-wrap: anywhere;
}

.alone {
  padding: 14px 0;
}
footer {
  margin-top: 18px;
  font-size: 13px;
  color: var(--soft);
}
a {
  color: var(--blue);
}

.tiles,
.wide {
  grid-column: 1 / -1;
}

@media (max-width: 1000px) {
  .third,
  main:has(#durable[hidden]) .third {
    grid-column: span 3;
  }
}

@media (max-width: 760px) {
  body {
    padding: 18px 14px 32px;
  }
  header {
    grid-template-columns: 1fr;
  }
  #about,
  #state {
    grid-row: auto;
  }
  main {
    grid-template-columns: minmax(0, 1fr);
    gap: 10px;
  }
  .tiles {
    grid-template-columns: 1fr 1fr 1fr;
    gap: 10px;
  }
  .tile {
    padding: 12px 13px;
  }
  .tile.lead {
    grid-column: 1 / -1;
  }
  .figure {
    font-size: 20px;
  }
  .card {
    padding: 14px;
  }
  .chart {
    height: 190px;
  }
  .card,
  .third,
  main:has(#durable[hidden]) .third {
    grid-column: 1 / -1;
  }
}
`;

export const PAGE_JS = `// The page about a run: asks /figures every two seconds and draws. Everything that came off the wire
// goes into the page as text, never as markup.

const EVERY_MS = 2000;
/** Rates of the last quarter of an hour are averages over this long, in ms. */
const SMOOTH_MS = 10_000;
const RECENT_MS = 15 * 60_000;
const SVG = "http://www.w3.org/2000/svg";

const by = (id) => document.getElementById(id);
let span = "recent";
let last;

function node(name, props = {}, ...children) {
  const made = Object.assign(document.createElement(name), props);
  made.append(...children);
  return made;
}
function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
function say(id, text) {
  const at = by(id);
  if (at.textContent !== text) at.textContent = text;
}

// Numbers for people. Bytes are decimal, as in the summary.
function count(n) {
  if (n < 1e6) return Math.round(n).toLocaleString("en");
  return n < 1e9 ? \`\${(n / 1e6).toFixed(2)} M\` : \`\${(n / 1e9).toFixed(2)} G\`;
}
function bytes(n) {
  const units = ["B", "KB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  for (; n >= 999.5 && unit < units.length - 1; unit++) n /= 1000;
  return \`\${n >= 100 || unit === 0 ? Math.round(n) : n.toFixed(1)} \${units[unit]}\`;
}
function rate(n) {
  return n === 0 ? "0" : n < 1 ? n.toPrecision(2) : n < 100 ? n.toFixed(1) : count(n);
}
function elapsed(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return \`\${s} s\`;
  const m = Math.floor(s / 60);
  if (m < 60) return s % 60 === 0 ? \`\${m} min\` : \`\${m} min \${s % 60} s\`;
  const h = Math.floor(m / 60);
  return h < 24 ? \`\${h} h \${m % 60} min\` : \`\${Math.floor(h / 24)} d \${h % 24} h\`;
}
/** \`2026-11-30 22:17:37\`, by this browser's clock. */
function moment(ms) {
  const date = new Date(ms);
  const two = (n) => String(n).padStart(2, "0");
  return \`\${date.getFullYear()}-\${two(date.getMonth() + 1)}-\${two(date.getDate())} \` +
    [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}
function share(part, whole) {
  const percent = whole > 0 ? part * 100 / whole : 0;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return \`\${percent > 0 && percent < 0.95 ? percent.toFixed(1) : Math.round(percent)} %\`;
}

/** Points of [elapsed ms, fetched, failed, memory] as rates: each over what lies behind it. */
function rates(points, smoothMs) {
  const out = [];
  let from = 0;
  for (let i = 1; i < points.length; i++) {
    const [t, fetched, failed] = points[i];
    while (from + 1 < i && t - points[from + 1][0] >= smoothMs) from++;
    const [t0, fetched0, failed0] = points[from];
    if (t > t0) {
      out.push([t, (fetched - fetched0) * 1000 / (t - t0), (failed - failed0) * 1000 / (t - t0)]);
    }
  }
  return out;
}

/** A round step that gives at most \`most\` intervals up to \`top\`. */
function step(top, most) {
  const raw = top / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].find((n) => n * power >= raw) * power;
}
/** A round step of time, in ms. */
function timeStep(ms, most) {
  const steps = [10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800];
  return 1000 * (steps.find((s) => s * 1000 * most >= ms) ?? 2592000);
}
function clock(ms, whole) {
  const date = new Date(ms);
  const hour = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  if (whole > 36 * 3_600_000) {
    return date.toLocaleDateString([], { month: "short", day: "numeric" });
  }
  return whole < 180_000
    ? date.toLocaleTimeString([], {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hour12: false,
    })
    : hour;
}

/**
 * Lines over time in \`id\`. The value axis begins at zero. \`series\` are [name, colour, filled]; \`points\`
 * are [unix ms, value of each]; \`text\` puts a value into words.
 */
function chart(id, label, points, series, domain, text) {
  const box = by(id);
  const width = box.clientWidth, height = box.clientHeight;
  if (width === 0) return;
  let top = 0;
  for (const point of points) for (let k = 1; k < point.length; k++) top = Math.max(top, point[k]);
  const each = step(top > 0 ? top : 1, height > 170 ? 4 : 3);
  const ticks = Math.max(1, Math.ceil(top / each));
  top = each * ticks;
  // \`60\`, not \`60.0\`; no tick has more digits than its step.
  const names = Array.from(
    { length: ticks + 1 },
    (_, i) => text(i * each).replace(/\\.0+(?= |$)/, ""),
  );
  const svg = shape("svg", { role: "img", "aria-label": label });
  const tip = node("div", { className: "tip", hidden: true });
  box.replaceChildren(svg, tip);
  // Text can be measured only where it is shown.
  const labels = names.map((name) => shape("text", { "text-anchor": "end" }, name));
  svg.append(...labels);
  const left = Math.ceil(Math.max(...labels.map((l) => l.getComputedTextLength()))) + 9;
  const foot = 22, head = 8;
  const x = (t) => left + (t - domain[0]) / (domain[1] - domain[0]) * (width - left - 6);
  const y = (v) => head + (1 - v / top) * (height - head - foot);
  labels.forEach((name, i) => {
    const at = Math.round(y(i * each)) + 0.5;
    name.setAttribute("x", left - 8);
    name.setAttribute("y", at + 4);
    svg.append(
      shape("line", { x1: left, x2: width - 6, y1: at, y2: at, class: i === 0 ? "axis" : "grid" }),
    );
  });
  const whole = domain[1] - domain[0];
  const every = timeStep(whole, Math.max(2, Math.floor((width - left) / 90)));
  const offset = new Date(domain[1]).getTimezoneOffset() * 60_000;
  for (
    let t = Math.ceil((domain[0] - offset) / every) * every + offset;
    t <= domain[1];
    t += every
  ) {
    const at = Math.round(x(t)) + 0.5;
    const anchor = at > width - 24 ? "end" : at < left + 18 ? "start" : "middle";
    svg.append(
      shape("line", { x1: at, x2: at, y1: height - foot, y2: height - foot + 4, class: "axis" }),
      shape(
        "text",
        { x: anchor === "end" ? width : at, y: height - 4, "text-anchor": anchor },
        clock(t, whole),
      ),
    );
  }
  series.forEach(([, colour, filled], k) => {
    if (points.length < 2) return;
    const line = points.map((p, i) =>
      \`\${i === 0 ? "M" : "L"}\${x(p[0]).toFixed(1)} \${y(p[k + 1]).toFixed(1)}\`
    ).join("");
    if (filled) {
      const area = \`\${line}L\${x(points.at(-1)[0]).toFixed(1)} \${y(0)}L\${
        x(points[0][0]).toFixed(1)
      } \${y(0)}Z\`;
      svg.append(shape("path", { d: area, fill: "var(--blue-fill)" }));
    }
    svg.append(shape("path", { d: line, class: "mark", stroke: colour }));
  });
  if (points.length < 2) {
    svg.append(
      shape("text", { x: left + 12, y: y(top / 2) }, "The first points are being gathered"),
    );
  }
  const hair = shape("line", { y1: head, y2: height - foot, class: "hair", visibility: "hidden" });
  svg.append(hair);
  box.onpointermove = (event) => {
    box.pointed = event;
    const at = event.clientX - box.getBoundingClientRect().left;
    const near = points.reduce(
      (a, b) => Math.abs(x(a[0]) - at) <= Math.abs(x(b[0]) - at) ? a : b,
      points[0],
    );
    if (near === undefined) return;
    const px = x(near[0]);
    for (const end of ["x1", "x2"]) hair.setAttribute(end, px);
    hair.setAttribute("visibility", "visible");
    tip.hidden = false;
    tip.replaceChildren(
      node("div", {
        className: "note",
        textContent: moment(near[0]),
      }),
      ...series.map(([name, colour], k) =>
        node("div", {}, swatch(colour), \`\${name} \${text(near[k + 1])}\`)
      ),
    );
    const room = width - tip.offsetWidth;
    tip.style.left = \`\${
      Math.max(0, Math.min(room, px > width / 2 ? px - tip.offsetWidth - 10 : px + 10))
    }px\`;
  };
  // What was pointed at stays so when new figures come.
  if (box.pointed !== undefined) box.onpointermove(box.pointed);
  box.onpointerleave = () => {
    box.pointed = undefined;
    tip.hidden = true;
    hair.setAttribute("visibility", "hidden");
  };
}
function swatch(colour) {
  const key = node("span", { className: "key" });
  key.style.background = colour;
  return key;
}

function charts() {
  const { now, figures: f } = last;
  const began = now - f.elapsedMs;
  const points = last[span];
  const from = span === "recent" ? Math.max(began, now - RECENT_MS) : began;
  const domain = [Math.min(from, now - 60_000), now];
  const at = (p) => [began + p[0], ...p.slice(1)];
  const pages = rates(points, span === "recent" ? SMOOTH_MS : 0).map(at).filter((p) =>
    p[0] >= domain[0]
  );
  const series = [["fetched", "var(--blue)", true], ["failed", "var(--red)", false]];
  chart("rate-chart", "Pages fetched and failed a second, over time", pages, series, domain, rate);
  by("rate-legend").replaceChildren(
    ...series.map(([name, colour]) => node("span", {}, swatch(colour), name)),
  );
  const memory = points.filter((p) => p[3] > 0).map((p) => [began + p[0], p[3]]).filter((p) =>
    p[0] >= domain[0]
  );
  chart(
    "memory-chart",
    "Memory of the process, over time",
    memory,
    [["resident", "var(--teal)", false]],
    domain,
    bytes,
  );
}

/** A row of bars: name, filled share of the track, words at its end. */
function bar(name, filled, colour, end, more = {}) {
  const fill = node("div", { className: "fill" });
  fill.style.width = \`\${Math.min(100, Math.max(0, filled * 100))}%\`;
  fill.style.background = colour;
  const track = node("div", { className: "track" }, fill);
  if (more.peak !== undefined) {
    const peak = node("div", { className: "peak", title: more.peakText ?? "" });
    peak.style.left = \`\${Math.min(100, more.peak * 100)}%\`;
    track.append(peak);
  }
  const row = [
    node("div", { textContent: name }),
    track,
    node("div", { className: "end" }, ...end),
  ];
  if (more.below !== undefined) {
    row.push(node("div", { className: "below", textContent: more.below }));
  }
  return row;
}
const small = (text) => node("small", { textContent: text });

function failures(f) {
  const { dns, timeout, refused, tls, other, skip } = f.failures;
  const classes = [["dns", dns], ["timeout", timeout], ["refused", refused], ["tls", tls], [
    "other",
    other,
  ], ["skipped", skip]];
  const failed = classes.reduce((sum, [, n]) => sum + n, 0);
  const ended = f.fetched + failed + f.disallowed;
  const most = Math.max(1, f.disallowed, ...classes.map(([, n]) => n));
  const rows = [...classes, ["disallowed", f.disallowed]];
  by("fail-bars").replaceChildren(
    ...rows.flatMap(([name, n]) =>
      bar(
        name,
        n / most,
        name === "disallowed" || name === "skipped" ? "var(--grey)" : "var(--red)",
        [\`\${count(n)} \`, node("span", { className: "part", textContent: share(n, ended) })],
      )
    ),
  );
  say("fail-note", \`share of \${count(ended)} ended\`);
  const top = f.unclassified?.top.slice(0, 3) ?? [];
  by("shapes").replaceChildren(
    ...(top.length === 0 ? [] : [node("p", { textContent: "Other is mostly:" })]),
    ...top.map(({ shape, count: n }) =>
      node("p", {}, node("code", { textContent: shape.slice(0, 200) }), \` \${count(n)}\`)
    ),
  );
  return { failed, ended };
}

const PHASES = [
  ["fetching", "fetching", "var(--blue)"],
  ["hostClock", "waiting for a host's clock", "var(--amber)"],
  ["robots", "robots.txt", "var(--violet)"],
  ["queueing", "waiting for the write queue", "var(--rose)"],
];

function workerTime(f, minute) {
  const of = (times, ms) => {
    const spent = PHASES.map(([key]) => times[key]);
    const whole = Math.max(f.workers * ms, spent.reduce((a, b) => a + b, 0), 1);
    return [...spent, whole - spent.reduce((a, b) => a + b, 0)].map((n) => n / whole);
  };
  const now = of(minute.workerTimes, minute.ms);
  const all = of(f.workerTimes, f.elapsedMs);
  const names = [...PHASES.map(([, name, colour]) => [name, colour]), ["idle", "var(--grey)"]];
  by("time-stack").replaceChildren(...names.map(([name, colour], i) => {
    const piece = node("div", { title: \`\${name} \${share(now[i], 1)}\` });
    piece.style.flexGrow = String(now[i]);
    piece.style.flexBasis = "0";
    piece.style.background = colour;
    piece.hidden = now[i] < 0.0005;
    return piece;
  }));
  document.querySelector("#time-table tbody").replaceChildren(
    ...names.map(([name, colour], i) =>
      node(
        "tr",
        {},
        node("td", {}, swatch(colour), name),
        node("td", { textContent: share(now[i], 1) }),
        node("td", { textContent: share(all[i], 1) }),
      )
    ),
  );
  say("time-note", \`\${count(f.workers)} workers, the bar is the last minute\`);
}

function queues(f, minute) {
  const rows = [];
  const queue = (name, q) => {
    const held = q.heldBytes;
    rows.push(
      ...bar(name, (held ?? 0) / q.boundBytes, "var(--blue)", [
        held === undefined ? "" : \`\${bytes(held)} \`,
        small(\`of \${bytes(q.boundBytes)}\`),
      ], {
        peak: q.peakBytes / q.boundBytes,
        peakText: "most so far",
        below: \`most so far \${bytes(q.peakBytes)}, \${
          share(q.peakBytes, q.boundBytes)
        } of the bound\`,
      }),
    );
  };
  if (f.extract) queue("extract", f.extract.queue);
  queue("write", f.queue);
  const busy = (name, ms, width, colour, below) => {
    const filled = minute.ms > 0 ? ms / (minute.ms * width) : 0;
    rows.push(...bar(name, filled, colour, [share(Math.min(1, filled), 1)], { below }));
  };
  if (f.extract) {
    busy(
      "rendering",
      minute.renderingMs ?? 0,
      f.extract.width,
      "var(--teal)",
      \`of \${f.extract.width} at once, in the last minute\`,
    );
  }
  busy(
    f.writers === 1 ? "writer" : "writers",
    minute.writerBusyMs,
    f.writers,
    "var(--teal)",
    \`busy, of \${f.writers === 1 ? "one" : f.writers}, in the last minute\`,
  );
  by("queue-bars").replaceChildren(...rows);
}

function list(id, rows) {
  by(id).replaceChildren(
    ...rows.flatMap((
      [name, value],
    ) => [node("dt", { textContent: name }), node("dd", { textContent: value })]),
  );
}

function durable(f) {
  const c = f.checkpoint;
  by("durable").hidden = c === undefined && f.position === undefined;
  if (by("durable").hidden) return;
  list("durable-list", [
    ...(c === undefined ? [["checkpoint", "none is kept: run with --state"]] : [
      ["since the last checkpoint", elapsed(c.ageMs)],
      ["rows not in a sealed file", count(c.rowsAhead)],
      ...(c.partsWaiting === undefined
        ? []
        : [["parts waiting to be published", count(c.partsWaiting)]]),
    ]),
    ["rows durable", count(f.rowsDone)],
    ["part being read", count(f.position.part)],
    ["row in it", f.position.row.toLocaleString("en")],
    ["feeder waiting for workers", share(f.feeder.waitingMs, f.feeder.aliveMs)],
  ]);
}

/** \`delayMs\` → \`delay, ms\`. */
function words(key) {
  return key.replace(/[A-Z]/g, (c) => \` \${c.toLowerCase()}\`).replace(/ ms$/, ", ms");
}

function theRun(data) {
  const { figures: f, details } = data;
  const { dns, robots } = f;
  // Those are at the top of the page, or say more together.
  const { from: _from, seeds: _seeds, out: _out, state: _state, shard, shards, ...more } = details;
  list("run-list", [
    ["running since", moment(data.now - f.elapsedMs)],
    ...(shards > 1 ? [["shard", \`\${shard} of \${shards}, from 0\`]] : []),
    ...Object.entries(more).map(([key, value]) => [words(key), String(value)]),
    ["files finished", count((f.files ?? 0) + (f.parquetFiles ?? 0) + (f.warcFiles ?? 0))],
    ["ccrawl", data.version],
  ]);
  list("web-list", [
    ["names looked up", count(dns.lookedUp)],
    ["names from the cache", count(dns.cached)],
    ["names without an address", count(dns.unresolved)],
    ...(robots === undefined ? [["robots.txt", "not asked for"]] : [
      ["robots.txt fetched", count(robots.hosts)],
      ["robots.txt from the cache", count(robots.saved)],
      ["pages that it kept us from", count(f.disallowed)],
    ]),
  ]);
}

function draw(data) {
  last = data;
  const { figures: f, minute } = data;
  document.title = \`\${rate(data.rate)}/s, \${data.command}\`;
  say("command", data.command);
  const { from, seeds, out, state } = data.details;
  say(
    "about",
    [from ?? seeds, out && \`into \${out}\`, state && \`state \${state}\`].filter(Boolean).join(", "),
  );
  const { failed, ended } = failures(f);
  say("rate", rate(data.rate));
  say(
    "rate-note",
    \`over the last \${elapsed(data.rateMs)}; \${
      rate(f.elapsedMs > 0 ? f.fetched * 1000 / f.elapsedMs : 0)
    } over the run\`,
  );
  say("fetched", count(f.fetched));
  say("fetched-note", \`\${bytes(f.bytes)}\${f.unchanged ? \`, \${count(f.unchanged)} unchanged\` : ""}\`);
  say("failed", count(failed));
  say("failed-note", \`\${share(failed, ended)} of what ended\`);
  say("flight", count(f.inFlight));
  say("flight-note", \`\${count(f.workers)} workers, \${count(f.queued)} queued\`);
  workerTime(f, minute);
  queues(f, minute);
  say(
    "memory-note",
    \`now \${bytes(data.memory)}, at most \${bytes(f.peakMemoryBytes ?? data.memory)}\`,
  );
  durable(f);
  theRun(data);
  document.querySelector("main").hidden = false;
  charts();
}

function status(name, text) {
  document.body.className = name;
  say("state-text", text);
}

let heard = 0;
async function refresh() {
  try {
    const answer = await fetch("figures", {
      signal: AbortSignal.timeout(10_000),
      cache: "no-store",
    });
    if (!answer.ok) throw new Error(\`\${answer.status}\`);
    draw(await answer.json());
    heard = Date.now();
    status("live", \`running, \${elapsed(last.figures.elapsedMs)}\`);
  } catch (error) {
    if (
      error instanceof TypeError || error.name === "TimeoutError" || /^\\d+$/.test(error.message)
    ) {
      status(
        "lost",
        heard === 0
          ? "no answer"
          : \`no answer since \${
            new Date(heard).toLocaleTimeString([], { hour12: false })
          }: ended, or out of reach\`,
      );
    } else throw error;
  } finally {
    setTimeout(refresh, EVERY_MS);
  }
}

for (const button of document.querySelectorAll("[data-span]")) {
  button.onclick = () => {
    span = button.dataset.span;
    for (const other of document.querySelectorAll("[data-span]")) {
      other.ariaPressed = String(other === button);
    }
    charts();
  };
}
new ResizeObserver(() => last && charts()).observe(by("rate-chart"));
refresh();
`;
