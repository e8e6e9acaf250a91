/* wasi.js - runs the ashlar program (WebAssembly, WASI preview 1) on files that
 * exist only in this page's memory.
 *
 * runProgram is one function without outside names, so that its text can be
 * handed to a worker: planning then does not freeze the page, and a plan that
 * takes too long can be stopped by ending the worker. */
'use strict';

function runProgram(module, args, given) {
  const OK = 0, BADF = 8, EXIST = 20, NOENT = 44, NOSYS = 52;
  const FOLDER = 3, REGULAR = 4, ROOT = 3;
  const files = new Map(given), folders = new Set(['']), open = new Map();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const said = {1: [], 2: []};
  let memory = null, nextFd = 4;
  const view = () => new DataView(memory.buffer);
  const bytesAt = (at, count) => new Uint8Array(memory.buffer, at, count);
  const pathAt = (at, count) => decoder.decode(bytesAt(at, count)).split('/').filter(part => part && part !== '.').join('/');
  const set32 = (at, value) => view().setUint32(at, value, true);
  const set64 = (at, value) => view().setBigUint64(at, BigInt(value), true);

  /* Pieces of memory that a read or write names. */
  function* pieces(list, count) {
    for (let k = 0; k < count; k++)
      yield bytesAt(view().getUint32(list + 8 * k, true), view().getUint32(list + 8 * k + 4, true));
  }
  function putStrings(list, at, texts) {
    texts.forEach((text, k) => {
      const bytes = encoder.encode(text + '\0');
      set32(list + 4 * k, at);
      bytesAt(at, bytes.length).set(bytes);
      at += bytes.length;
    });
    return OK;
  }
  function putSizes(countAt, bytesAtOut, texts) {
    set32(countAt, texts.length);
    set32(bytesAtOut, texts.reduce((sum, text) => sum + encoder.encode(text).length + 1, 0));
    return OK;
  }
  function putStat(at, type, size) {
    bytesAt(at, 64).fill(0);
    view().setUint8(at + 16, type);
    set64(at + 24, 1);
    set64(at + 32, size);
    return OK;
  }
  function typeOf(path) { return files.has(path) ? REGULAR : folders.has(path) ? FOLDER : 0; }
  function append(file, bytes) {
    const end = file.at + bytes.length;
    if (end > file.bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * file.bytes.length));
      larger.set(file.bytes);
      file.bytes = larger;
    }
    file.bytes.set(bytes, file.at);
    file.at = end;
    file.size = Math.max(file.size, end);
  }

  const calls = {
    args_sizes_get: (count, bytes) => putSizes(count, bytes, args),
    args_get: (list, at) => putStrings(list, at, args),
    environ_sizes_get: (count, bytes) => putSizes(count, bytes, ['LANG=C.UTF-8']),
    environ_get: (list, at) => putStrings(list, at, ['LANG=C.UTF-8']),
    clock_time_get(id, precision, at) { set64(at, 0); return OK; },
    fd_prestat_get(fd, at) {
      if (fd !== ROOT) return BADF;
      set32(at, 0);
      set32(at + 4, 1);
      return OK;
    },
    fd_prestat_dir_name(fd, at) { bytesAt(at, 1)[0] = 47; return OK; },
    fd_fdstat_get(fd, at) {
      if (fd > ROOT && !open.has(fd)) return BADF;
      bytesAt(at, 24).fill(0);
      view().setUint8(at, fd < ROOT ? 2 : fd === ROOT ? FOLDER : REGULAR);
      set64(at + 8, 0xffffffffffffffffn);
      set64(at + 16, 0xffffffffffffffffn);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_filestat_get(fd, at) { return open.has(fd) ? putStat(at, REGULAR, open.get(fd).size) : BADF; },
    path_filestat_get(fd, flags, at, count, out) {
      const path = pathAt(at, count), type = typeOf(path);
      return type ? putStat(out, type, type === REGULAR ? files.get(path).length : 0) : NOENT;
    },
    path_open(fd, lookup, at, count, how, rights, inherited, flags, out) {
      const path = pathAt(at, count), create = how & 1, exclusive = how & 4, truncate = how & 8;
      if (!files.has(path) && !create) return NOENT;
      if (files.has(path) && exclusive) return EXIST;
      const bytes = truncate || !files.has(path) ? new Uint8Array(0) : files.get(path);
      files.set(path, bytes); /* a new file has its name at once */
      open.set(nextFd, {path, bytes, at: 0, size: bytes.length, written: !!(create || truncate)});
      set32(out, nextFd++);
      return OK;
    },
    fd_read(fd, list, count, out) {
      const file = open.get(fd);
      let read = 0;
      if (!file) { set32(out, 0); return fd === 0 ? OK : BADF; }
      for (const piece of pieces(list, count)) {
        const part = file.bytes.subarray(file.at, Math.min(file.at + piece.length, file.size));
        piece.set(part);
        file.at += part.length;
        read += part.length;
      }
      set32(out, read);
      return OK;
    },
    fd_write(fd, list, count, out) {
      const file = open.get(fd);
      let wrote = 0;
      if (!file && !said[fd]) return BADF;
      for (const piece of pieces(list, count)) {
        if (file) { append(file, piece); file.written = true; } else said[fd].push(piece.slice());
        wrote += piece.length;
      }
      set32(out, wrote);
      return OK;
    },
    fd_seek(fd, offset, from, out) {
      const file = open.get(fd);
      if (!file) return BADF;
      file.at = Number(offset) + (from === 1 ? file.at : from === 2 ? file.size : 0);
      set64(out, file.at);
      return OK;
    },
    fd_close(fd) {
      const file = open.get(fd);
      if (file && file.written) files.set(file.path, file.bytes.slice(0, file.size));
      open.delete(fd);
      return OK;
    },
    path_create_directory(fd, at, count) {
      const path = pathAt(at, count);
      if (typeOf(path)) return EXIST;
      folders.add(path);
      return OK;
    },
    path_rename(fd, at, count, toFd, toAt, toCount) {
      const from = pathAt(at, count);
      if (!files.has(from)) return NOENT;
      files.set(pathAt(toAt, toCount), files.get(from));
      files.delete(from);
      return OK;
    },
    path_unlink_file(fd, at, count) { return files.delete(pathAt(at, count)) ? OK : NOENT; },
    proc_exit(code) { throw {exit: code}; },
  };

  const imports = {};
  for (const {name} of WebAssembly.Module.imports(module)) imports[name] = calls[name] || (() => NOSYS);
  const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: imports});
  memory = instance.exports.memory;
  let code = 0;
  try { instance.exports._start(); } catch (end) {
    if (end.exit === undefined) throw end;
    code = end.exit;
  }
  const text = parts => {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) { whole.set(part, at); at += part.length; }
    return decoder.decode(whole);
  };
  for (const name of given.keys()) files.delete(name);
  return {code, out: text(said[1]), err: text(said[2]), files};
}
