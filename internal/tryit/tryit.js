"use strict";

// Hovering over a word or its box highlights both.
function light(event, on) {
  const id = event.target.closest?.("[data-word]")?.dataset.word;
  if (!id) return;
  for (const part of event.target.closest(".leaf").querySelectorAll(`[data-word="${id}"]`)) part.classList.toggle("lit", on);
}
document.addEventListener("pointerover", (event) => light(event, true));
document.addEventListener("pointerout", (event) => light(event, false));

for (const form of document.querySelectorAll("form.try")) {
  const file = form.querySelector("[name=image]");
  const url = form.querySelector("[name=imageUrl]");
  form.querySelector(".scripted").hidden = false;

  // take puts a dropped or pasted image, or its address, into the form.
  function take(data) {
    const text = data.getData("text/plain").trim();
    if (data.files.length > 0) {
      file.files = data.files;
      url.value = "";
    } else if (/^https?:\/\//i.test(text)) {
      url.value = text;
      file.value = "";
    } else {
      return false;
    }
    return true;
  }
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.toggle("over", kind === "dragenter" || kind === "dragover");
      if (kind === "drop") take(event.dataTransfer);
    });
  }
  document.addEventListener("paste", (event) => {
    if (event.target.matches?.("input:not([type=file]), textarea")) return;
    if (take(event.clipboardData)) event.preventDefault();
  });
  file.addEventListener("change", () => {
    if (file.files.length > 0) url.value = "";
    const tooLarge = file.files[0]?.size > Number(file.dataset.max);
    file.setCustomValidity(tooLarge ? "The file is larger than 20 MiB. Choose a smaller one." : "");
    file.reportValidity();
  });

  if (form.hasAttribute("data-with-key")) tryWithKey(form, file, url);
  else showProgress(form);
}

// showProgress keeps a form from being sent twice while an image is read.
function showProgress(form) {
  const button = form.querySelector("[type=submit]");
  const status = form.querySelector(".balance");
  form.addEventListener("submit", () => {
    button.disabled = true;
    status.textContent = "Reading …";
  });
  addEventListener("pageshow", () => {
    button.disabled = false;
    status.textContent = "";
  });
}

// explain returns what the API refuses and why, in sentences, as Answer.Explain does.
function explain(said) {
  const labels = { imageUrl: "Image", language: "Language", enhance: "Enhance" };
  const sentence = (text) => text && text[0].toUpperCase() + text.slice(1).replace(/\.$/, "") + ".";
  const faults = Object.entries(said.details ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, fault]) => `${labels[field] ?? field}: ${fault.replace(/\.$/, "")}.`);
  return [said.error, ...(faults.length > 0 ? faults : [sentence(said.message)])].filter(Boolean).join(" ");
}

// tryWithKey sends the form with the pasted key. The key is never stored: it stays in its field, which has no name, so that
// nothing submits it, and is emptied when the page is left.
function tryWithKey(form, file, url) {
  const key = form.querySelector(".secret");
  const problem = form.querySelector(".problem");
  const balance = form.querySelector(".balance");
  const button = form.querySelector("[type=submit]");
  let shown = null;
  let pictures = [];
  addEventListener("pagehide", () => { key.value = ""; });

  // call sends a request with the key and returns the response, or throws what the API says is wrong.
  async function call(path, options = {}) {
    const response = await fetch(path, {
      ...options, cache: "no-store", credentials: "omit",
      headers: { ...options.headers, Authorization: "Bearer " + key.value.trim() },
    });
    if (response.ok) return response;
    throw new Error(explain(await response.json().catch(() => ({}))) || `The server answered ${response.status}.`);
  }

  function fail(error) {
    problem.textContent = error.message;
    problem.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
  }

  async function showBalance() {
    balance.textContent = "";
    if (!key.value.trim()) return;
    try {
      const status = await (await call("/api/v1/status")).json();
      balance.textContent = `${status.pointsRemaining.toLocaleString("en-US")} points left.`;
    } catch (error) {
      balance.textContent = error.message;
    }
  }
  key.addEventListener("change", showBalance);
  showBalance();

  function dataURL(image) {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.replace(/^data:(application\/octet-stream)?;/, "data:image/tiff;"));
      reader.onerror = () => reject(new Error("The file cannot be read."));
      reader.readAsDataURL(image);
    });
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    const fields = new FormData(form);
    button.disabled = true;
    try {
      const image = file.files[0];
      if (!image && !url.value) throw new Error("Choose an image, or enter its address.");
      const request = { imageUrl: image ? await dataURL(image) : url.value, language: fields.get("language") };
      if (fields.has("enhance")) request.enhance = true;
      balance.textContent = "Reading …";
      const response = await call(form.getAttribute("action"), {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request),
      });
      show(new DOMParser().parseFromString(await response.text(), "text/html").querySelector(".reading"));
    } catch (error) {
      fail(error);
    } finally {
      button.disabled = false;
      showBalance();
    }
  });

  // show replaces the reading below the form, and fetches the pictures of its pages with the key.
  function show(reading) {
    pictures.forEach(URL.revokeObjectURL);
    pictures = [];
    shown?.remove();
    shown = document.adoptNode(reading);
    form.after(shown);
    dress(shown);
    for (const image of shown.querySelectorAll("image[data-part]")) {
      part(image.dataset.part).then((address) => image.setAttribute("href", address), fail);
    }
    for (const link of shown.querySelectorAll(".downloads a")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        save(link).catch(fail);
      });
    }
    shown.scrollIntoView({ block: "start" });
  }

  async function part(name) {
    const response = await call(`${shown.dataset.base}/${name}`);
    const address = URL.createObjectURL(await response.blob());
    pictures.push(address);
    return address;
  }

  async function save(link) {
    const response = await call(link.getAttribute("href"));
    const name = /filename="?([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "");
    const address = URL.createObjectURL(await response.blob());
    const saved = document.createElement("a");
    saved.href = address;
    saved.download = name ? name[1] : "page";
    saved.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}
