// Every call of the Mem0 client for Node, one after the other; prints [step, outcome] as JSON lines.
import { createRequire } from "node:module";

const { MemoryClient } = createRequire(process.env.NPM_FOLDER + "/")("mem0ai");
const client = new MemoryClient({ apiKey: process.env.STORE_KEY, host: process.env.STORE_URL });
const [user, text] = [process.env.OWNER, process.env.TEXT];
const mine = { filters: { user_id: user } };
const said = (content) => [{ role: "user", content }];
const ids = [];

async function step(name, work) {
  let outcome;
  try {
    outcome = { result: (await work()) ?? null };
  } catch (error) {
    outcome = { error: error.name, message: error.message };
  }
  process.stdout.write(JSON.stringify([name, outcome]) + "\n");
  return outcome.result;
}

async function add(name, content, more = {}) {
  const made = await step(name, () => client.add(said(content), { userId: user, infer: false, ...more }));
  ids.push((made?.results ?? made)?.[0]?.id);
}

await step("ping", () => client.ping());
await add("add", text, { metadata: { shelf: { row: 3 } } });
await add("add another", "The blue kettle stands on the left.");
await add("add a third", "The red kettle stands on the right.");
await step("get", () => client.get(ids[0]));
await step("getAll", () => client.getAll(mine));
await step("getAll, a page", () => client.getAll({ ...mine, page: 1, pageSize: 2 }));
await step("search", () => client.search("blue kettle", { ...mine, topK: 2 }));
await step("search, a clear word", () => client.search(text, { ...mine, topK: 1 }));
await step("update", () => client.update(ids[1], { text: "The blue kettle is gone." }));
await step("get the updated", () => client.get(ids[1]));
await step("history", () => client.history(ids[1]));
await step("users", () => client.users());
await step("batchUpdate", () => client.batchUpdate([{ memoryId: ids[2], text: "The red kettle sings." }]));
await step("getAll after the batch", () => client.getAll(mine));
await step("batchDelete", () => client.batchDelete([ids[2]]));
await step("delete", () => client.delete(ids[0]));
await step("get the deleted", () => client.get(ids[0]));
await step("getAll after deletions", () => client.getAll(mine));
await step("deleteAll", () => client.deleteAll({ userId: user }));
await step("getAll after all", () => client.getAll(mine));
await step("get an absent one", () => client.get("00000000-0000-4000-8000-000000000000"));
await step("search without an owner", () => client.search("kettle", { filters: {} }));
await step("deleteUsers", () => client.deleteUsers({ userId: user }));
