// Small helps where scripts run: suggestions while typing, copying. Everything else works without.

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
