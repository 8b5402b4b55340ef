"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const steps = data.steps;
  if (!steps.length) return;
  const get = (name) => document.getElementById(name);
  const slider = get("slider");
  const play = get("play");
  const items = [...get("steps").children];
  const rows = [...document.querySelectorAll(".row")].map((row) => ({
    element: row,
    failedAt: "failedAt" in row.dataset ? Number(row.dataset.failedAt) : null,
    pieces: [...row.querySelectorAll(".piece")].map((piece) => ({
      element: piece,
      isBody: piece.classList.contains("body") || piece.classList.contains("unread"),
      start: Number(piece.dataset.start),
      end: Number(piece.dataset.end),
    })),
  }));
  const messages = [];
  for (const [start, end, between] of data.messages) {
    const before = messages.length ? messages[messages.length - 1] : "";
    messages.push(before.slice(0, start) + between + before.slice(before.length - end));
  }
  const last = steps.length - 1;
  const PAUSE = 450;
  let current = last;
  let timer = 0;

  function show(number) {
    current = Math.min(Math.max(number, 0), last);
    const step = steps[current];
    slider.value = String(current);
    slider.setAttribute("aria-valuetext", `${step.name}, step ${current + 1} of ${steps.length}`);
    get("place").textContent = `${step.name} (${current + 1} of ${steps.length})`;
    get("back").disabled = current === 0;
    get("forward").disabled = current === last;
    items.forEach((item, index) => item.classList.toggle("current", index === current));
    rows.forEach((row) => showRow(row, step));
    showMessage(step);
  }

  function showRow(row, step) {
    const isPending = row.pieces[0].start >= step.decided;
    row.element.classList.toggle("pending", isPending);
    row.element.classList.toggle("reading", row.failedAt !== null && current < row.failedAt);
    for (const piece of row.pieces) {
      const classes = piece.element.classList;
      classes.toggle("held", piece.start >= step.decided && piece.start < step.known);
      classes.toggle("later", piece.start >= step.known);
      classes.toggle("new", piece.start >= step.start && piece.end <= step.known);
    }
  }

  function showMessage(step) {
    get("message").textContent = messages[current];
    const failure = get("failure");
    if (failure) failure.hidden = current !== last;
    const growing = get("growing");
    growing.hidden = step.field === null;
    if (step.field === null) return;
    const open = rows.filter((row) => row.pieces[0].start < step.decided).pop();
    const written = open ? open.pieces.filter((piece) => piece.isBody && piece.end <= step.decided) : [];
    get("growing-field").textContent = step.field;
    get("growing-text").textContent = written.map((piece) => wordsOf(piece.element)).join("").trimStart();
    growing.className = `growing ${open ? [...open.element.classList].filter((name) => name.startsWith("field-")) : ""}`;
  }

  function wordsOf(element) {
    const spoken = element.querySelector(".spoken");
    return spoken ? element.textContent.slice(spoken.textContent.length) : element.textContent;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-label", "Play");
    get("steps").setAttribute("aria-live", "polite");
  }

  function start() {
    if (current === last) show(0);
    timer = setInterval(() => {
      show(current + 1);
      if (current === last) stop();
    }, PAUSE);
    play.textContent = "Pause";
    play.setAttribute("aria-label", "Pause");
    // Nobody can listen to one step after another.
    get("steps").setAttribute("aria-live", "off");
  }

  function go(number) {
    stop();
    show(number);
  }

  play.addEventListener("click", () => (timer ? stop() : start()));
  get("back").addEventListener("click", () => go(current - 1));
  get("forward").addEventListener("click", () => go(current + 1));
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const moves = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last };
    if (event.key in moves) {
      go(moves[event.key]);
    } else if (event.key === " " && !event.target.closest("button")) {
      play.click();
    } else {
      return;
    }
    event.preventDefault();
  });
  window.addEventListener("hashchange", fromAddress);

  /* An address can name a step: #step=3. */
  function fromAddress() {
    const named = /^#step=(\d+)$/.exec(location.hash);
    if (named) go(Number(named[1]));
  }

  document.documentElement.classList.add("playing");
  document.querySelector(".player").hidden = false;
  get("step-heading").textContent = "Step";
  stop();
  show(last);
  fromAddress();
})();
