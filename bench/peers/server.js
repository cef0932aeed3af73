// A small observability server of the popular shape: Bun, one POST per hook event, one row each.
import { Database } from "bun:sqlite";

const [file, synchronous] = process.argv.slice(2);
const database = new Database(file);
database.run("PRAGMA journal_mode = WAL");
database.run(`PRAGMA synchronous = ${synchronous}`);
database.run(
  `CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL,
     session TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL, at INTEGER NOT NULL)`,
);
const insert = database.prepare(
  "INSERT INTO events (source, session, kind, payload, at) VALUES (?, ?, ?, ?, ?)",
);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method !== "POST") return new Response(null, { status: 404 });
    const { source, session, kind, payload } = await request.json();
    const result = insert.run(source, session, kind, JSON.stringify(payload), Date.now());
    return Response.json({ id: Number(result.lastInsertRowid) });
  },
});
console.log(server.port);
