// Bundles ui/src into the Python package: `make ui`.  With --check it writes nothing, and fails if the bundle is another one.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const TARGET = join(HERE, "..", "trustgraph_react_mem", "ui", "static");
const BUNDLED = ["preact", "@preact/signals-core", "@preact/signals", "htm"];
const MOST_BYTES = 150_000; // of all files, compressed

function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((each) => (each.isDirectory() ? filesIn(join(folder, each.name)) : [join(folder, each.name)]));
}

// The test suite computes the same digest in Python, where there may be no Node.js.
function digestOfSources() {
  const paths = [...filesIn(join(HERE, "src")), ...["build.mjs", "package.json", "package-lock.json"].map((name) => join(HERE, name))];
  const digest = createHash("sha256");
  for (const path of paths.map((each) => relative(HERE, each).replaceAll("\\", "/")).sort()) {
    digest.update(`${path}\0`).update(readFileSync(join(HERE, path))).update("\0");
  }
  return digest.digest("hex");
}

function licences() {
  const texts = BUNDLED.map((name) => `${name}\n\n${readFileSync(join(HERE, "node_modules", name, "LICENSE"), "utf8").trim()}\n`);
  return texts.join(`\n${"-".repeat(79)}\n\n`);
}

async function bundle() {
  const built = await build({
    absWorkingDir: HERE,
    entryPoints: { app: "src/main.js" },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    charset: "utf8",
    legalComments: "none",
    entryNames: "[name]-[hash]",
    outdir: TARGET,
    write: false,
  });
  const files = Object.fromEntries(built.outputFiles.map((each) => [relative(TARGET, each.path), Buffer.from(each.contents)]));
  const named = (suffix) => Object.keys(files).find((name) => name.endsWith(suffix));
  const index = readFileSync(join(HERE, "src", "index.html"), "utf8");
  files["index.html"] = Buffer.from(index.replace("app.css", named(".css")).replace("app.js", named(".js")));
  files["icon.svg"] = readFileSync(join(HERE, "src", "icon.svg"));
  files["licences.txt"] = Buffer.from(licences());
  const size = Object.values(files).reduce((sum, each) => sum + gzipSync(each).length, 0);
  const manifest = { sources: digestOfSources(), files: Object.keys(files).sort() };
  files["manifest.json"] = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  return { files, size };
}

const { files, size } = await bundle();
if (size > MOST_BYTES) {
  console.error(`the bundle has ${size} bytes compressed: ${MOST_BYTES} are the most`);
  process.exit(1);
}
if (process.argv.includes("--check")) {
  const existing = filesIn(TARGET).map((path) => relative(TARGET, path)).sort();
  const same = JSON.stringify(existing) === JSON.stringify(Object.keys(files).sort());
  if (!same || !existing.every((name) => files[name].equals(readFileSync(join(TARGET, name))))) {
    console.error("the bundle in trustgraph_react_mem/ui/static is not that of the sources in ui: run make ui and commit both");
    process.exit(1);
  }
  console.log(`the bundle is that of the sources (${size} bytes compressed)`);
} else {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(TARGET, name), content);
  console.log(`${Object.keys(files).length} files in ${relative(process.cwd(), TARGET)} (${size} bytes compressed)`);
}
