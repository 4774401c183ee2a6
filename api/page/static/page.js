// Small helps where scripts run: copying, suggestions while typing, a conversation. All else works without.

document.documentElement.classList.add("js");

// --- copying ------------------------------------------------------------------------------------------------------

async function textOf(button) {
  if (button.dataset.copy !== undefined) return button.dataset.copy;
  const answer = await fetch(button.dataset.fetch, { headers: { accept: "text/plain, */*;q=0.5" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

function told(button, done) {
  const word = button.querySelector("span");
  button.dataset.word ??= word.textContent;
  word.textContent = done ? button.dataset.done : button.dataset.failed;
  button.classList.toggle("done", done);
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    word.textContent = button.dataset.word;
    button.classList.remove("done");
  }, 2000);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(await textOf(button));
    told(button, true);
  } catch {
    const code = button.parentElement.querySelector("code");
    if (code) getSelection().selectAllChildren(code);
    told(button, false);
  }
});

// --- suggestions: the combobox pattern with a listbox -------------------------------------------------------------

function suggest(input) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.id = `${input.id}-suggestions`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", input.dataset.list);
  const status = document.createElement("p");
  status.className = "unseen";
  status.setAttribute("role", "status");
  input.closest(".field").append(list, status);
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id]]) {
    input.setAttribute(name, value);
  }

  let at = -1;
  let asked = 0;
  const names = () => input.value.split(",");

  function close() {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function mark(number) {
    const rows = list.children;
    rows[at]?.setAttribute("aria-selected", "false");
    at = (number + rows.length) % rows.length;
    rows[at].setAttribute("aria-selected", "true");
    rows[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", rows[at].id);
  }

  function take(row) {
    const before = names().slice(0, -1).map((name) => name.trim());
    input.value = [...before, row.dataset.name].join(", ");
    close();
    input.focus();
  }

  async function show() {
    const typed = names().at(-1).trim();
    const number = ++asked;
    if (typed.length < 2) return close();
    const answer = await fetch(`${input.dataset.suggest}?limit=8&q=${encodeURIComponent(typed.slice(0, 90))}`);
    if (number !== asked || !answer.ok || document.activeElement !== input) return;
    const { gpus, count } = await answer.json();
    list.replaceChildren(
      ...gpus.map((gpu, place) => {
        const row = document.createElement("li");
        row.id = `${list.id}-${place}`;
        row.dataset.name = gpu.name;
        row.setAttribute("role", "option");
        row.setAttribute("aria-selected", "false");
        const capability = document.createElement("span");
        capability.textContent = gpu.compute_capability;
        row.append(gpu.name, capability);
        return row;
      }),
    );
    at = -1;
    input.removeAttribute("aria-activedescendant");
    list.hidden = gpus.length === 0 || (gpus.length === 1 && gpus[0].name === typed);
    input.setAttribute("aria-expanded", String(!list.hidden));
    status.textContent = input.dataset.count.replace("{count}", count);
  }

  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) show();
    if (list.hidden) return;
    if (event.key === "ArrowDown") mark(at + 1);
    else if (event.key === "ArrowUp") mark(at < 0 ? -1 : at - 1);
    else if (event.key === "Enter" && at >= 0) take(list.children[at]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("li");
    event.preventDefault();
    if (row) take(row);
  });
}

document.querySelectorAll("input[data-suggest]").forEach(suggest);

// --- addresses to share: without the fields that were left empty ---------------------------------------------------

document.addEventListener("formdata", ({ target, formData }) => {
  if (target.method !== "get") return;
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

// --- the conversation: kept in this browser only ------------------------------------------------------------------

const KEY = "whichcuda.talk";
const TURNS = 20; // that are kept and sent
const PAST = 20_000; // characters of what was said before: the newest message alone is sent as a whole

const size = (text) => new Blob([text]).size;
const number = (count) => count.toLocaleString(document.documentElement.lang);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function converse(form) {
  const talk = document.getElementById("talk");
  const field = form.elements.q;
  const status = document.getElementById("said-q");
  const [useEnd, clear] = [form.querySelector(".use-end"), form.querySelector(".clear")];
  const { limit, bytes } = form.dataset;
  let turns = [];
  let context = {};

  const fits = (text) => text.length <= limit && size(JSON.stringify(text)) < bytes - 200_000;

  function end(text) {
    let found = text.slice(-limit);
    while (!fits(found)) found = found.slice(Math.ceil(found.length / 8));
    return found;
  }

  function say(text, cut = false) {
    status.textContent = text;
    useEnd.hidden = !cut;
  }

  function store() {
    clear.hidden = turns.length === 0;
    try {
      const kept = turns.slice(-TURNS).map((turn) => ({ ...turn, message: turn.message.slice(-PAST), length: turn.length ?? turn.message.length }));
      localStorage.setItem(KEY, JSON.stringify({ turns: kept, context }));
    } catch {
      // full or forbidden: the conversation then lasts as long as the page
    }
  }

  function article(turn) {
    const made = document.getElementById("turn").content.cloneNode(true).firstElementChild;
    const said = made.querySelector(".said");
    said.textContent = turn.message.slice(0, 2000);
    if ((turn.length ?? turn.message.length) > 2000) {
      const more = document.createElement("span");
      more.className = "about";
      more.textContent = " " + filled(form.dataset.more, { count: number(turn.length ?? turn.message.length) });
      said.append(more);
    }
    talk.append(made);
    return made;
  }

  const spoken = (turn) => (turn.language === "zh" ? "zh-Hans" : "en");

  async function* events(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const pieces = (rest + value).split("\n\n");
      rest = pieces.pop();
      for (const piece of pieces) if (piece.startsWith("data: ")) yield JSON.parse(piece.slice(6));
    }
  }

  async function ask(turn, place) {
    const before = turns.slice(0, turns.indexOf(turn)).slice(-TURNS);
    const history = before.flatMap(({ message, answer }) => [
      { role: "user", content: message.slice(-PAST) },
      { role: "assistant", content: (answer ?? "").slice(0, PAST) },
    ]);
    const reply = place.querySelector(".reply");
    reply.replaceChildren();
    reply.setAttribute("aria-busy", "true");
    say(form.dataset.reading);
    place.scrollIntoView({ block: "start" });
    try {
      const response = await fetch(form.action, {
        method: "POST",
        headers: { accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ message: turn.message, history, context: turn.context, without: turn.without }),
      });
      if (!response.ok) throw new Error((await response.json()).detail ?? response.status);
      for await (const event of events(response)) {
        reply.insertAdjacentHTML("beforeend", event.part ?? event.end);
        if (event.end !== undefined) ({ answer: turn.answer, language: turn.language } = event);
      }
      turn.html = reply.innerHTML;
      reply.lang = spoken(turn);
      say(form.dataset.done);
    } catch (error) {
      say(filled(form.dataset.failed, { reason: error.message }));
    } finally {
      reply.removeAttribute("aria-busy");
      store();
    }
  }

  function send(message) {
    document.querySelector(".first")?.remove();
    const turn = { message, context: { ...context }, without: [] };
    turns.push(turn);
    return ask(turn, article(turn));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const message = field.value.trim();
    if (!message) return;
    if (!fits(message)) {
      say(filled(form.dataset.tooLong, { count: number(message.length), most: number(Number(limit)) }), true);
      return;
    }
    field.value = "";
    send(message);
  });
  useEnd.addEventListener("click", () => {
    field.value = end(field.value.trim());
    form.requestSubmit();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  clear.addEventListener("click", () => {
    turns = [];
    context = {};
    talk.replaceChildren();
    store();
    field.focus();
  });

  // a fact put right or left out: the same message is asked again
  function corrected(element, value) {
    const place = element.closest(".turn");
    const turn = turns[[...talk.children].indexOf(place)];
    if (!turn) return false;
    const fact = element.closest("form").dataset.fact;
    turn.without = [...new Set([...turn.without, fact])];
    delete turn.context[fact];
    delete context[fact];
    if (value) turn.context[fact] = context[fact] = value;
    ask(turn, place);
    return true;
  }
  talk.addEventListener("submit", (event) => {
    const fact = event.target.dataset.fact;
    if (fact && corrected(event.target, event.target.elements[fact]?.value.trim())) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const remove = event.target.closest("a.remove");
    if (remove && corrected(remove, "")) event.preventDefault();
    const follow = event.target.closest("a.follow");
    if (follow && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      send(new URL(follow.href).searchParams.get("q"));
    }
  });

  // a file, chosen or dropped: only as much of its end as can be read
  async function take(file) {
    const cut = file.size > 4 * limit;
    const text = await (cut ? file.slice(-4 * limit) : file).text();
    field.value = fits(text) ? text : end(text);
    const words = cut || field.value.length < text.length ? form.dataset.takenEnd : form.dataset.taken;
    say(filled(words, { name: file.name, count: number(field.value.length) }));
    field.focus();
  }
  const chooser = document.getElementById("file");
  chooser.hidden = false;
  field.placeholder = form.dataset.drop;
  chooser.addEventListener("change", () => {
    if (chooser.files[0]) take(chooser.files[0]);
    chooser.value = "";
  });
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      form.classList.add("dropping");
    });
  }
  for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => form.classList.remove("dropping"));
  form.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    take(file);
  });

  // what was said before, unless the address asks something of its own
  if (talk.children.length > 0) {
    const asked = new URLSearchParams(location.search);
    const reply = talk.querySelector(".reply");
    turns = [{ message: asked.get("q") ?? "", context: {}, without: [], html: reply.innerHTML, answer: reply.innerText }];
  } else {
    try {
      ({ turns = [], context = {} } = JSON.parse(localStorage.getItem(KEY) ?? "{}"));
    } catch {
      turns = [];
    }
    for (const turn of turns) {
      const reply = article(turn).querySelector(".reply");
      reply.innerHTML = turn.html ?? "";
      reply.lang = spoken(turn);
    }
    if (turns.length > 0) document.querySelector(".first")?.remove();
  }
  clear.hidden = turns.length === 0;
}

const asking = document.getElementById("ask");
if (asking) converse(asking);
