"use strict";

// dress adds copy buttons to the examples under root, and puts the address that the browser used into them if the server
// could only guess its own. Everything is readable without it.
function dress(root) {
  const guessed = document.documentElement.dataset.guessed;
  if (guessed && guessed !== location.origin) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.data.includes(guessed)) text.data = text.data.replaceAll(guessed, location.origin);
    }
  }
  root.querySelectorAll("pre").forEach(addCopyButton);
}

function addCopyButton(pre) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await copy(pre.querySelector("code"));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "example";
  pre.replaceWith(frame);
  frame.append(pre, button);
}

// copy works on pages without TLS too, where browsers offer no clipboard.
async function copy(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  if (!document.execCommand("copy")) throw new Error("refused");
}

dress(document.querySelector("main"));
