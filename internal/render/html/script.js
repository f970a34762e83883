"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);

  // The choice of colours outlives the page where the browser lets it.
  const memory = {
    get() { try { return localStorage.getItem("hallmark-theme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("hallmark-theme", value); } catch { /* a file's page may not store */ } },
  };
  for (const radio of all("input[name=theme]")) {
    if (radio.value === memory.get()) radio.checked = true;
    radio.addEventListener("change", () => memory.set(radio.value));
  }

  // A link to a rule or an exchange shows and opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && one(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.tagName !== "DETAILS") return;
    target.open = true;
    if (getComputedStyle(target).display === "none") {
      if (one("find")) { one("find").value = ""; search(); }
      if (one("show-all")) one("show-all").checked = true;
      report();
    }
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) reveal();
  });

  for (const pre of all("pre.command")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.querySelector("code").textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.prepend(button);
  }

  const field = one("find");
  const rules = all(".rules .rule");
  const words = new Map();
  const search = () => {
    const wanted = field.value.trim().toLowerCase();
    for (const rule of rules) {
      if (!words.has(rule)) words.set(rule, (rule.id.slice(5) + " " + rule.querySelector("summary").textContent).toLowerCase());
      rule.classList.toggle("unmatched", !words.get(rule).includes(wanted));
    }
    for (const group of all(".rules .group")) group.classList.toggle("unmatched", !group.querySelector(".rule:not(.unmatched)"));
  };
  // Says when a choice leaves nothing to show.
  const report = () => {
    const note = document.querySelector(".nothing");
    if (note) note.textContent = rules.some((rule) => rule.checkVisibility()) ? "" : "No rule matches.";
  };
  if (field) {
    field.closest("[hidden]").hidden = false;
    field.addEventListener("input", () => { search(); report(); });
    for (const radio of all("input[name=verdict]")) radio.addEventListener("change", report);
    const unfold = one("unfold");
    unfold.addEventListener("click", () => {
      const open = unfold.getAttribute("aria-pressed") !== "true";
      unfold.setAttribute("aria-pressed", String(open));
      unfold.textContent = open ? "Close all" : "Open all";
      for (const rule of rules) if (!open || rule.checkVisibility()) rule.open = open;
    });
    report();
  }
  reveal();
})();
