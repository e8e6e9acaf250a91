/* extension.js - Ashlar in Visual Studio Code: read-only editors for models and
 * plans. The page in them is the playground, with the program as WebAssembly;
 * this side only reads and writes files, so that it runs in a browser's editor
 * as well as on a desktop. Nothing is asked of a network. */
'use strict';
const vscode = require('vscode');

const MODEL = 'ashlar.model', PLAN = 'ashlar.plan';
const MOST_BESIDE = 1 << 30; /* bytes of files with constants */

function nameOf(uri) { return uri.path.split('/').pop() || ''; }
function folderOf(uri) { return vscode.Uri.joinPath(uri, '..'); }
function isModel(uri) { return /\.(tflite|onnx)$/i.test(uri.path); }

/* ---- files ----------------------------------------------------------------- */

/* An ONNX model may keep constants in files beside it, by name. */
async function filesBeside(uri, bytes) {
  const found = [];
  if (!/\.onnx$/i.test(uri.path)) return found;
  const text = new TextDecoder('latin1').decode(bytes);
  for (const [name, type] of await vscode.workspace.fs.readDirectory(folderOf(uri))) {
    const path = vscode.Uri.joinPath(folderOf(uri), name);
    if (!(type & vscode.FileType.File) || name === nameOf(uri) || !text.includes(name)) continue;
    if ((await vscode.workspace.fs.stat(path)).size <= MOST_BESIDE) found.push([name, await vscode.workspace.fs.readFile(path)]);
  }
  return found;
}
async function readModel(uri) {
  const bytes = await vscode.workspace.fs.readFile(uri);
  return {name: nameOf(uri), files: [[nameOf(uri), bytes], ...await filesBeside(uri, bytes)]};
}

/* The device of the settings: a name, or a file that is brought along. */
async function readDevice(uri) {
  const wish = vscode.workspace.getConfiguration('ashlar', uri).get('device') || '';
  if (!/\.ya?ml$/i.test(wish)) return {name: wish};
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const path = /^([/\\]|[a-z]:)/i.test(wish) ? vscode.Uri.file(wish) : vscode.Uri.joinPath(folder ? folder.uri : folderOf(uri), wish);
  try {
    return {name: nameOf(path), file: await vscode.workspace.fs.readFile(path)};
  } catch (error) {
    vscode.window.showWarningMessage('Ashlar: the device file ' + wish + ' of the settings cannot be read: ' + error.message);
    return {name: ''};
  }
}

/* ---- the page -------------------------------------------------------------- */

function nonce() {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from(globalThis.crypto.getRandomValues(new Uint8Array(32)), n => letters[n % letters.length]).join('');
}

/* The page names its files; each becomes an address that this webview may read. */
async function pageFor(webview, media) {
  const key = nonce(), text = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(media, 'index.html')));
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; worker-src blob:; " +
    'style-src ' + webview.cspSource + "; script-src 'nonce-" + key + "' 'wasm-unsafe-eval'";
  return text.replace(/(<meta http-equiv="Content-Security-Policy" content=")[^"]*/, (whole, start) => start + policy)
    .replace(/(<script|<link)([^>]*? (?:src|href)=")([\w.-]+)"/g, (whole, tag, rest, name) =>
      tag + (tag === '<script' ? ' nonce="' + key + '"' : '') + rest + webview.asWebviewUri(vscode.Uri.joinPath(media, name)) + '"');
}

/* One open editor. Messages wait until the page says that it is there; a page
 * that is made again says so again. */
class Editor {
  constructor(uri, panel) {
    this.uri = uri;
    this.panel = panel;
    this.isReady = false;
    this.waiting = [];
  }
  send(message) {
    if (this.isReady) this.panel.webview.postMessage(message);
    else this.waiting.push(message);
  }
  async sendFile(isFirst) {
    try {
      if (isModel(this.uri)) {
        const settings = {device: await readDevice(this.uri), options: vscode.workspace.getConfiguration('ashlar', this.uri).get('options') || ''};
        this.panel.webview.postMessage({type: 'model', ...await readModel(this.uri), ...(isFirst ? settings : {})});
      } else {
        this.panel.webview.postMessage({type: 'plan', name: nameOf(this.uri), bytes: await vscode.workspace.fs.readFile(this.uri)});
      }
    } catch (error) {
      this.panel.webview.postMessage({type: 'gone', text: nameOf(this.uri) + ' cannot be read: ' + error.message});
    }
  }
  async hear(message) {
    if (message.type === 'ready') {
      await this.sendFile(true);
      this.isReady = true;
      for (const late of this.waiting.splice(0)) this.send(late);
    } else if (message.type === 'save') await this.save(message.name, message.bytes);
    else if (message.type === 'compare') await this.compare();
    else if (message.type === 'warn') vscode.window.showWarningMessage('Ashlar: ' + message.text);
  }
  async save(name, bytes) {
    const where = await vscode.window.showSaveDialog({defaultUri: vscode.Uri.joinPath(folderOf(this.uri), name)});
    if (!where) return;
    try { await vscode.workspace.fs.writeFile(where, bytes); }
    catch (error) { vscode.window.showErrorMessage('Ashlar: ' + nameOf(where) + ' cannot be written: ' + error.message); }
  }
  async compare() {
    const chosen = await vscode.window.showOpenDialog({canSelectMany: false, defaultUri: folderOf(this.uri), openLabel: 'Compare',
      title: 'Compare ' + nameOf(this.uri) + ' with', filters: {Models: ['tflite', 'onnx']}});
    if (!chosen || !chosen.length) return;
    try { this.send({type: 'compare', ...await readModel(chosen[0])}); }
    catch (error) { vscode.window.showErrorMessage('Ashlar: ' + nameOf(chosen[0]) + ' cannot be read: ' + error.message); }
  }
}

class Provider {
  constructor(media) {
    this.media = media;
    this.editors = new Set();
  }
  openCustomDocument(uri) { return {uri, dispose() {}}; }
  async resolveCustomEditor(document, panel) {
    const editor = new Editor(document.uri, panel), name = nameOf(document.uri);
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folderOf(document.uri), name.replace(/[[\]{}*?]/g, '[$&]')));
    const again = () => { if (editor.isReady) editor.sendFile(false); };
    const ends = [watcher, watcher.onDidChange(again), watcher.onDidCreate(again), panel.webview.onDidReceiveMessage(message => editor.hear(message))];
    this.editors.add(editor);
    panel.onDidDispose(() => {
      this.editors.delete(editor);
      ends.forEach(end => end.dispose());
    });
    panel.webview.options = {enableScripts: true, localResourceRoots: [this.media]};
    panel.webview.html = await pageFor(panel.webview, this.media);
  }
  /* The editor of a model, opened where it is not; without one, that in front. */
  async editorOf(uri) {
    const find = () => [...this.editors].find(editor => isModel(editor.uri) && (uri ? editor.uri.toString() === uri.toString() : editor.panel.active));
    if (uri) await vscode.commands.executeCommand('vscode.openWith', uri, MODEL);
    const editor = find();
    if (!editor) vscode.window.showInformationMessage('Ashlar: open a .tflite or .onnx file first.');
    return editor;
  }
}

/* ---- commands -------------------------------------------------------------- */

function activeFile() {
  const input = /** @type {{uri?: vscode.Uri}} */ (vscode.window.tabGroups.activeTabGroup.activeTab?.input);
  return input?.uri;
}
function activate(context) {
  const provider = new Provider(vscode.Uri.joinPath(context.extensionUri, 'media'));
  const options = {supportsMultipleEditorsPerDocument: true, webviewOptions: {retainContextWhenHidden: true}};
  const command = (name, action) => vscode.commands.registerCommand(name, action);
  context.subscriptions.push(
    vscode.window.registerCustomEditorProvider(MODEL, provider, options),
    vscode.window.registerCustomEditorProvider(PLAN, provider, options),
    command('ashlar.fit', async uri => { (await provider.editorOf(uri))?.send({type: 'fit'}); }),
    command('ashlar.compare', async uri => { await (await provider.editorOf(uri))?.compare(); }),
    command('ashlar.open', async uri => {
      const file = uri || activeFile();
      if (file) await vscode.commands.executeCommand('vscode.openWith', file, isModel(file) ? MODEL : PLAN);
    }));
}

module.exports = {activate};
