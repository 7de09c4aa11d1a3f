// Conveniences; every page works without them.
"use strict";

// A one-time code arrives after the "#", which browsers never send. It fills the field and leaves the address bar.
const code = document.querySelector("input[data-code]");
if (code && location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text to copy it";
    }
    setTimeout(() => { button.textContent = label; }, 3000);
  });
}

for (const button of document.querySelectorAll("button[data-add]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const field = document.getElementById(button.dataset.to);
    const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!lines.includes(button.dataset.add)) lines.push(button.dataset.add);
    field.value = lines.join("\n");
    field.focus();
  });
}

// On a narrow screen the chart scrolls sideways. It begins with the latest day that was used.
function showLatest() {
  for (const chart of document.querySelectorAll("svg.chart")) {
    const latest = [...chart.querySelectorAll(".bar-fill")].findLast((bar) => bar.height.baseVal.value > 0);
    if (!latest) continue;
    const middle = (latest.x.baseVal.value / chart.viewBox.baseVal.width) * chart.clientWidth;
    chart.parentElement.scrollLeft = middle - chart.parentElement.clientWidth / 2;
  }
}
showLatest();
addEventListener("resize", showLatest);
