// mem0's TypeScript client, as installed from its package.
// CLIENTS_NODE: the folder with node_modules.  LISTENER: {url, users: [{name, key}, ...]} as JSON.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

process.env.MEM0_TELEMETRY = "false";
const { MemoryClient } = createRequire(`${process.env.CLIENTS_NODE}/package.json`)("mem0ai");
const { url, users } = JSON.parse(process.env.LISTENER);

function connect() {
  const user = users.pop();
  return { user: user.name, key: user.key, client: new MemoryClient({ apiKey: user.key, host: url }) };
}

async function texts(client, user) {
  const page = await client.getAll({ filters: { user_id: user } });
  return page.results.map((memory) => memory.memory).sort();
}

const say = (...said) => said.map((content) => ({ role: "user", content }));

test("what is added is found, changed and deleted", async () => {
  const { client, user } = connect();
  await client.ping();
  const added = await client.add(say("I am allergic to peanuts", "I live in Porto"), {
    userId: user,
    infer: false,
    metadata: { topic: "facts" },
  });
  assert.equal(added.status ?? "SUCCEEDED", "SUCCEEDED");
  const found = await client.search("what am I allergic to", { filters: { user_id: user }, topK: 1 });
  assert.deepEqual(found.results.map((memory) => memory.memory), ["I am allergic to peanuts"]);
  assert.deepEqual(found.results[0].metadata, { topic: "facts" });
  const id = found.results[0].id;
  assert.equal((await client.get(id)).memory, "I am allergic to peanuts");
  await client.update(id, { text: "I am allergic to cashews" });
  const history = await client.history(id);
  assert.deepEqual(history.map((entry) => entry.event), ["ADD", "UPDATE"]);
  await client.delete(id);
  assert.deepEqual(await texts(client, user), ["I live in Porto"]);
  await assert.rejects(client.get(id));
});

test("what is learned can be read when its event has succeeded", async () => {
  const { client, user, key } = connect();
  const added = await client.add(say("I practise the trumpet before breakfast."), { userId: user });
  let event;
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const answer = await fetch(`${url}/v1/event/${added.eventId}/`, { headers: { Authorization: `Token ${key}` } });
    event = await answer.json();
  } while (!["SUCCEEDED", "FAILED"].includes(event.status));
  assert.equal(event.status, "SUCCEEDED");
  assert.deepEqual(await texts(client, user), ["The user plays the trumpet before breakfast"]);
});

test("a deletion needs a scope, and takes that scope alone", async () => {
  const { client, user } = connect();
  const other = connect();
  await other.client.add(say("I own a boat"), { userId: other.user, infer: false });
  await client.add(say("I eat plums"), { userId: user, agentId: "cook", infer: false });
  await client.add(say("I eat soup"), { userId: user, infer: false });
  await assert.rejects(client.deleteAll());
  await assert.rejects(client.deleteAll({ userId: other.user }));
  await client.deleteAll({ agentId: "cook" });
  assert.deepEqual(await texts(client, user), ["I eat soup"]);
  await client.deleteAll({ userId: user });
  assert.deepEqual(await texts(client, user), []);
  assert.deepEqual(await texts(other.client, other.user), ["I own a boat"]);
});

test("entities", async () => {
  const { client, user } = connect();
  await client.add(say("I eat plums", "I eat soup"), { userId: user, agentId: "cook", infer: false });
  const listed = await client.users();
  assert.deepEqual(listed.results.map((entity) => `${entity.type}:${entity.name}`).sort(), ["agent:cook", `user:${user}`]);
  await client.deleteUsers({ userId: user });
  assert.deepEqual(await texts(client, user), []);
});

test("users do not reach one another", async () => {
  const { client, user } = connect();
  const other = connect();
  await client.add(say("My locker is number 7"), { userId: user, infer: false });
  const [mine] = (await client.getAll({ filters: { user_id: user } })).results;
  await assert.rejects(other.client.get(mine.id));
  await assert.rejects(other.client.delete(mine.id));
  await assert.rejects(other.client.search("locker", { filters: { user_id: user } }));
  const found = await other.client.search("locker", { filters: { user_id: other.user } });
  assert.deepEqual(found.results, []);
});
