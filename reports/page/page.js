// The pages' comforts: sorts tables, opens the row that a link leads to, copies replay lines. All is readable without it.
"use strict";

function keyOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.sort === undefined ? cell.textContent : Number(cell.dataset.sort);
}

function sortBy(table, column, descending) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  rows.sort((a, b) => {
    const x = keyOf(a, column), y = keyOf(b, column);
    const order = typeof x === "number" ? x - y : x.localeCompare(y);
    return descending ? -order : order;
  });
  body.append(...rows);
}

function makeSortable(table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const descending = column === 0 ? head.ariaSort === "ascending" : head.ariaSort !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.ariaSort = descending ? "descending" : "ascending";
      sortBy(table, column, descending);
    });
    head.replaceChildren(button);
  });
}

function openTarget() {
  const target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (!target) return;
  for (let place = target.closest("details"); place; place = place.parentElement.closest("details")) place.open = true;
  (target.closest("details") ?? target).scrollIntoView({ block: "start" });
}

function addCopyButton(place) {
  const code = place.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "copy";
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "selected";
    }
  });
  place.append(button);
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll(".replay").forEach(addCopyButton);
addEventListener("hashchange", openTarget);
openTarget();
