"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.getElementById("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; draw(); });
  if (!data.chains.length) return;

  // Pointing at a vertex of the graph fades the arrows of the others.
  document.querySelectorAll("[data-vertex]").forEach((vertex) => {
    const faint = (is) => document.querySelectorAll("[data-ends]").forEach((arrow) =>
      arrow.classList.toggle("faint", is && !arrow.dataset.ends.split(" ").includes(vertex.dataset.vertex)));
    vertex.addEventListener("pointerenter", () => faint(true));
    vertex.addEventListener("pointerleave", () => faint(false));
  });

  const plots = document.getElementById("plots"), marks = document.getElementById("marks"), at = document.getElementById("at");
  const which = document.getElementById("which"), states = document.getElementById("states");
  const titles = ["inputs", "outputs, after the step", "state, after the step"];
  let chain = data.chains[0], first = 0, last = 1, cursor = null, rows = [], axis = null;

  data.chains.forEach((one, number) => which.add(new Option(`${number + 1} (${one.length} steps)`, number)));
  which.parentElement.hidden = data.chains.length < 2;
  states.parentElement.hidden = !data.groups[2].length;

  // The value in force at a step: the last run that begins not after it.
  function runAt(runs, step) {
    let low = 0, high = runs.length;
    while (low < high) { const middle = (low + high) >> 1; if (runs[middle][0] <= step) low = middle + 1; else high = middle; }
    return low - 1;
  }
  function shown(signal, value) {
    if (value === null || value === undefined) return "";
    return signal.names[String(value)] ?? String(value);
  }
  const isText = (signal, runs) => Object.keys(signal.names).length > 0 || runs.some(([, value]) => typeof value === "string" && !Number.isFinite(Number(value)));

  // The numbers of steps under the plots, and the time where a period is known.
  function buildAxis() {
    const row = document.createElement("div"), name = document.createElement("span");
    axis = document.createElement("canvas");
    row.className = "plot axis";
    name.textContent = data.period === null ? "step" : "step, time";
    row.append(name, axis, document.createElement("span"));
    plots.append(row);
  }
  function paintAxis() {
    const scale = devicePixelRatio || 1, width = axis.clientWidth, height = axis.clientHeight;
    axis.width = width * scale; axis.height = height * scale;
    const pen = axis.getContext("2d"), rough = (last - first) / Math.max(width / 110, 1), power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const every = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1;
    pen.scale(scale, scale);
    pen.strokeStyle = pen.fillStyle = css("--soft"); pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "top";
    pen.beginPath();
    for (let step = Math.ceil(first / every) * every; step < last; step += every) {
      const x = (step - first) / (last - first) * width;
      pen.moveTo(x + .5, 0); pen.lineTo(x + .5, 5);
      const text = [String(step), data.period === null ? "" : seconds(step)];
      const across = Math.min(Math.max(x, 0), width - Math.max(...text.map((line) => pen.measureText(line).width)));
      text.forEach((line, number) => pen.fillText(line, across, 6 + 12 * number));
    }
    pen.stroke();
  }
  const seconds = (step) => `${Number((step * data.period).toPrecision(12))} s`;

  function build() {
    plots.textContent = "";
    rows = [];
    data.groups.forEach((group, kind) => {
      if (!group.length || (kind === 2 && !states.checked)) return;
      const title = document.createElement("div");
      title.className = "group";
      title.textContent = titles[kind];
      plots.append(title);
      group.forEach((signal, index) => {
        const runs = chain.values[kind][index], row = document.createElement("div");
        const name = document.createElement("span"), canvas = document.createElement("canvas"), value = document.createElement("span");
        row.className = "plot";
        name.textContent = signal.name;
        name.title = `${signal.name}: ${signal.type}${signal.text ? `\n${signal.text}` : ""}`;
        if (signal.unit) { const unit = document.createElement("small"); unit.textContent = ` ${signal.unit}`; name.append(unit); }
        row.append(name, canvas, value);
        plots.append(row);
        const numbers = runs.map(([, value]) => Number(value)).filter(Number.isFinite);
        const low = numbers.reduce((a, b) => Math.min(a, b), Infinity), high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
        rows.push({ signal, runs, canvas, value, low, high, text: isText(signal, runs), free: kind === 0 ? chain.free[index] : [] });
      });
    });
    buildAxis();
    marks.textContent = "";
    chain.marks.forEach(([from, to, goal]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${goal} @ ${from === to ? from : from + "-" + to}`;
      button.addEventListener("click", () => jump(from));
      marks.append(button);
    });
  }

  function show(from, to) {
    const width = Math.min(Math.max(to - from, 4), Math.max(chain.length, 1));
    first = Math.min(Math.max(from, 0), chain.length - width);
    last = first + width;
    draw();
  }
  function zoom(factor, middle = cursor ?? (first + last) / 2) { show(middle - (middle - first) * factor, middle + (last - middle) * factor); }
  function jump(step) {
    cursor = step;
    if (step < first || step >= last) show(step - (last - first) / 2, step + (last - first) / 2); else draw();
    plots.focus({ preventScroll: true });
  }

  function paint(row) {
    const { canvas, runs, signal } = row, scale = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * scale; canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const x = (step) => (step - first) / (last - first) * width;
    const y = (value) => row.high > row.low ? height - 5 - (value - row.low) / (row.high - row.low) * (height - 10) : height / 2;
    pen.fillStyle = css("--line");
    row.free.forEach(([from, to]) => { for (let line = Math.max(x(from), 0); line < Math.min(x(to + 1), width); line += 5) pen.fillRect(line, 0, 1, height); });
    pen.globalAlpha = 0.35; pen.fillStyle = css("--good");
    chain.marks.forEach(([from, to]) => pen.fillRect(x(from), 0, Math.max(x(to + 1) - x(from), 1), height));
    pen.globalAlpha = 1;
    pen.strokeStyle = pen.fillStyle = css("--trace"); pen.lineWidth = 1.5; pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "middle";
    // Runs narrower than half a pixel are collected: one vertical line shows all values that a signal takes there.
    let narrow = null, before = null;
    const flush = () => {
      if (narrow && row.text) pen.rect(narrow.at, 5, .5, height - 10);
      else if (narrow) { pen.moveTo(narrow.at, narrow.low); pen.lineTo(narrow.at, narrow.high); pen.moveTo(narrow.at, narrow.end); }
      narrow = null;
    };
    pen.beginPath();
    for (let index = Math.max(runAt(runs, first), 0); index < runs.length && runs[index][0] < last; index++) {
      const from = Math.max(x(runs[index][0]), 0), to = Math.min(x(index + 1 < runs.length ? runs[index + 1][0] : chain.length), width);
      const value = runs[index][1], number = Number(value);
      if (!row.text && (value === null || !Number.isFinite(number))) { flush(); before = null; continue; }
      const level = row.text ? 0 : y(number);
      if (narrow && from - narrow.at >= .5) flush();
      if (to - from < .5) {
        const start = before === null ? level : before;
        narrow ??= { at: from, low: start, high: start };
        narrow.low = Math.min(narrow.low, level); narrow.high = Math.max(narrow.high, level); narrow.end = level;
      } else if (row.text) {
        flush();
        pen.rect(from + .5, 5, to - from, height - 10);
        const label = shown(signal, value);
        if (pen.measureText(label).width < to - from - 6) pen.fillText(label, from + 4, height / 2);
      } else {
        flush();
        if (before === null) pen.moveTo(from, level); else { pen.moveTo(from, before); pen.lineTo(from, level); }
        pen.lineTo(to, level);
      }
      before = level;
    }
    flush();
    pen.stroke();
    if (cursor !== null && cursor >= first && cursor < last) {
      pen.fillStyle = css("--text"); pen.globalAlpha = .12;
      pen.fillRect(x(cursor), 0, Math.max(x(cursor + 1) - x(cursor), 2), height);
      pen.globalAlpha = 1;
    }
    const step = cursor === null ? null : runAt(runs, cursor);
    row.value.textContent = step === null || step < 0 ? "" : shown(signal, runs[step][1]);
    row.value.title = row.value.textContent;
  }

  let waiting = false;
  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      rows.forEach(paint);
      paintAxis();
      const time = (step) => data.period === null ? "" : `, t = ${seconds(step)}`;
      const covered = cursor === null ? [] : chain.marks.filter(([from, to]) => from <= cursor && cursor <= to).map(([, , goal]) => goal);
      at.textContent = cursor === null ? `steps ${Math.ceil(first)} to ${Math.floor(last) - 1} of ${chain.length}` : `step ${cursor}${time(cursor)} ${covered.join(" ")}`;
    });
  }

  function select(number) { chain = data.chains[number]; cursor = null; which.value = number; build(); show(0, chain.length); }
  which.addEventListener("change", () => select(Number(which.value)));
  states.addEventListener("change", () => { build(); draw(); });
  document.getElementById("in").addEventListener("click", () => zoom(0.5));
  document.getElementById("out").addEventListener("click", () => zoom(2));
  document.getElementById("all").addEventListener("click", () => show(0, chain.length));

  const stepUnder = (event) => {
    const canvas = rows.length ? rows[0].canvas.getBoundingClientRect() : null;
    if (!canvas || event.clientX < canvas.left || event.clientX > canvas.right) return null;
    return Math.min(Math.floor(first + (event.clientX - canvas.left) / canvas.width * (last - first)), chain.length - 1);
  };
  let dragged = null;
  plots.addEventListener("pointermove", (event) => {
    const step = stepUnder(event);
    if (step === null) return;
    if (dragged !== null && event.buttons & 1) {
      const by = (event.clientX - dragged) / rows[0].canvas.clientWidth * (last - first);
      dragged = event.clientX;
      show(first - by, last - by);
    } else { dragged = null; cursor = step; draw(); }
  });
  plots.addEventListener("pointerdown", (event) => { dragged = event.clientX; });
  plots.addEventListener("wheel", (event) => {
    const step = stepUnder(event);
    if (step === null || !(event.ctrlKey || event.altKey || event.shiftKey || last - first < chain.length)) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, step + 0.5);
  }, { passive: false });
  plots.addEventListener("dblclick", (event) => { const step = stepUnder(event); if (step !== null) zoom(0.4, step + 0.5); });
  plots.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (move) jump(Math.min(Math.max((cursor ?? Math.floor(first)) + move, 0), chain.length - 1));
    else if (event.key === "Home") jump(0);
    else if (event.key === "End") jump(chain.length - 1);
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") show(0, chain.length);
    else if (event.key === "Escape") { cursor = null; draw(); }
    else return;
    event.preventDefault();
  });
  document.querySelectorAll(".jump").forEach((link) => link.addEventListener("click", () => {
    if (which.value !== link.dataset.chain) select(Number(link.dataset.chain));
    const step = Number(link.dataset.step);
    if (chain.length > 60) show(step - 30, step + 30);
    jump(step);
  }));
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  // Paper is light; what canvases show was painted in the colours of the screen.
  let onScreen;
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    root.dataset.theme = "light";
    cursor = null; show(0, chain.length); rows.forEach(paint); paintAxis();
  });
  addEventListener("afterprint", () => { if (onScreen) root.dataset.theme = onScreen; else delete root.dataset.theme; draw(); });
  select(0);
})();
