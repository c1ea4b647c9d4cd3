import { RECORD_BYTES } from './posting-record';

/**
 * The index of one organisation and generation in Redis, all in one slot of a cluster:
 *
 * - `lp:{tenant}:<lane>:<generation>:<epoch>:<shard>`, a hash of 64 buckets: a byte, which is the bucket's number →
 *   rows of a key's first bytes and the 4 bytes of an id. What a field has no room for stands under the byte and
 *   1, 2, …
 * - `lp:{tenant}:d:<generation>:<block>`, a string: records of the snippets by id (posting-record.ts)
 * - `lp:{tenant}:m:<generation>:sizes`, a hash: for each lane and epoch its shards and their rows, and how many
 *   entries the journal has had
 * - `lp:{tenant}:j:<generation>:keys`, a stream: hashes that were new, for filters to follow
 *
 * The last 6 bits of a key's 40-bit hash are its bucket, those before them its shard. What these tell need not be
 * kept: a row has 4 bytes of the hash, 3 where an epoch has 1,024 shards, and yet no two hashes are taken for one.
 * Shards are split one by one as the epoch grows (linear hashing), so that a small organisation has few of them. A
 * shard stays a listpack, 9 to 10 bytes a row where a hash table takes 100: it has 64 fields and some, seldom 100
 * (`hash-max-listpack-entries` is 512), none longer than 64 bytes (`hash-max-listpack-value`).
 */

/** Of what is described above: an index of another layout is never read, but made anew. */
export const LAYOUT_VERSION = 2;
/** Snippets count for 90 days; the rest is slack for late commits. An epoch's last is written at its end, as a rule. */
const EXPIRE_SECONDS = 120 * 86_400;
const DAY_SECONDS = 86_400;
/** A filter that has slept longer is made anew. */
const JOURNAL_SECONDS = 3600;
const JOURNAL_ENTRIES = 256;
const BUCKETS = 64;
/** With the buckets they tell the last byte of a hash. */
const FIRST_SHARDS = 4;
const ROWS_A_SHARD = 4 * BUCKETS;
/** Redis allocates 4096 bytes for this many records and the string's header. */
export const BLOCK_RECORDS = 292;

/** Bytes of a key in arguments: its lane, then its hash. */
export const KEY_BYTES = 6;
export const ID_BYTES = 4;
/** Longer values would turn a listpack into a hash table. */
const FIELD_BYTES = 64;

/** `keptBytes`: how many bytes of a hash the rows of a shard keep, if its number says so many shards apart. */
const ROWS = `
local function keptBytes(apart)
  return apart < ${256 ** 2 / BUCKETS} and 4 or apart < ${256 ** 3 / BUCKETS} and 3 or 2
end
local function unitOf(shards)
  local unit = ${FIRST_SHARDS}
  while unit * 2 <= shards do unit = unit * 2 end
  return unit
end
`;

/**
 * KEYS[1] is always the sizes' key. ARGV begins with the organisation's prefix and the generation.
 * `openEpoch` answers one lane's epoch; `place` a key's shard, its bucket's field, and what a row keeps of it;
 * `find` its ids, about as many as are wanted or all, and if all the field with room for another, and its rows.
 */
const COMMON = `
${ROWS}
-- Locals are found faster, and a question looks up hundreds of keys.
local call, byte, char, sub, search = redis.call, string.byte, string.char, string.sub, string.find
local sizes, prefix, generation = KEYS[1], ARGV[1], ARGV[2]
local LANES = { [0] = 'l', 'c', 't', 'a' }
local opened = {}
local function openEpoch(lane, epoch)
  local lanes = opened[epoch]
  if not lanes then
    lanes = {}
    opened[epoch] = lanes
  end
  local held = lanes[lane]
  if not held then
    local name = LANES[lane] .. ':' .. epoch
    local known = call('HMGET', sizes, 'shards:' .. name, 'rows:' .. name, 'day:' .. name)
    local shards = tonumber(known[1] or ${FIRST_SHARDS})
    local unit = unitOf(shards)
    held = {
      name = name, shards = shards, unit = unit, rows = tonumber(known[2] or 0),
      kept = { [unit] = keptBytes(unit), [unit * 2] = keptBytes(unit * 2) },
      day = tonumber(known[3] or 0), fresh = {}, names = {},
      prefix = prefix .. LANES[lane] .. ':' .. generation .. ':' .. epoch .. ':',
    }
    lanes[lane] = held
  end
  return held
end
local function place(held, packed, at)
  local _, b2, b3, b4, b5 = byte(packed, at + 1, at + 5)
  local bucket = b5 % ${BUCKETS}
  local low = (((b2 * 256 + b3) * 256 + b4) * 256 + b5 - bucket) / ${BUCKETS}
  local apart = held.unit
  local shard = low % apart
  if shard < held.shards - apart then
    apart = apart * 2
    shard = low % apart
  end
  local name = held.names[shard]
  if not name then
    name = held.prefix .. shard
    held.names[shard] = name
  end
  return name, char(bucket), sub(packed, at + 1, at + held.kept[apart])
end
local function fieldOf(bucket, number)
  return number == 0 and bucket or bucket .. number
end
local function rowAt(rows, width, wanted)
  local at = search(rows, wanted, 1, true)
  while at and at % width ~= 1 do at = search(rows, wanted, at + 1, true) end
  return at
end
local function holdsId(ids, id)
  return rowAt(ids, ${ID_BYTES}, id) ~= nil
end
local function find(shard, bucket, kept, wanted)
  local width, ids, number, field = #kept + ${ID_BYTES}, '', 0, bucket
  local rows = call('HGET', shard, field)
  while rows do
    local at = search(rows, kept, 1, true)
    while at do
      if at % width == 1 then ids = ids .. sub(rows, at + #kept, at + width - 1) end
      at = search(rows, kept, at + 1, true)
    end
    if #rows + width <= ${FIELD_BYTES} then return ids, field, rows end
    if #ids >= wanted * ${ID_BYTES} then return ids end
    number = number + 1
    field = fieldOf(bucket, number)
    rows = call('HGET', shard, field)
  end
  return ids, field, ''
end
-- Puts the rows of a bucket into a list of fields and values.
local function layOut(pairsOf, bucket, rows, width)
  local length = math.floor(${FIELD_BYTES} / width) * width
  for at = 1, #rows, length do
    pairsOf[#pairsOf + 1] = fieldOf(bucket, (at - 1) / length)
    pairsOf[#pairsOf + 1] = sub(rows, at, at + length - 1)
  end
end
local function put(key, pairsOf)
  for at = 1, #pairsOf, 1000 do
    call('HSET', key, unpack(pairsOf, at, math.min(at + 999, #pairsOf)))
  end
end
local function saveSizes()
  for _, lanes in pairs(opened) do
    for _, held in pairs(lanes) do
      call('HSET', sizes, 'shards:' .. held.name, held.shards, 'rows:' .. held.name, held.rows)
    end
  end
end
`;

/**
 * ARGV: how many postings make a stop key, then for each entry its id, its record, its epoch, its packed keys.
 * Answers the positions, from 0, of those of all these keys that have no need of the entry. `isSurplus` is the one of eligibility.ts, where it is explained.
 */
export const ADD = `
${COMMON}
local function blockOf(id)
  local number = struct.unpack('>I4', id)
  local row = number % ${BLOCK_RECORDS}
  return prefix .. 'd:' .. generation .. ':' .. (number - row) / ${BLOCK_RECORDS}, row * ${RECORD_BYTES}
end
local times, partitions, nexts = {}, {}, {}
local function learn(id)
  local block, at = blockOf(id)
  local record = call('GETRANGE', block, at, at + ${RECORD_BYTES - 1})
  times[id] = false
  -- It expires with those of the ids around it.
  if #record > 0 then times[id], partitions[id], nexts[id] = struct.unpack('>I6I2I6', record) end
end
-- Of ids in one partition: how many, the latest time, the last position.
local summaries = {}
local function summaryOf(ids)
  local summary = summaries[ids]
  if not summary then
    summary = {}
    for at = 1, #ids, ${ID_BYTES} do
      local id = sub(ids, at, at + 3)
      if times[id] == nil then learn(id) end
      local partition = partitions[id]
      if partition then
        local of = summary[partition]
        if not of then
          of = { count = 0, time = 0, next = 0 }
          summary[partition] = of
        end
        of.count = of.count + 1
        if times[id] > of.time then of.time = times[id] end
        if nexts[id] > of.next then of.next = nexts[id] end
      end
    end
    summaries[ids] = summary
  end
  return summary
end
local function isSurplus(ids, new, stop)
  local of = summaryOf(ids)[partitions[new]]
  if not of or of.count < stop then return false end
  if of.time <= times[new] and of.next < nexts[new] then return true end
  local before, earlier = 0, 0
  for at = 1, #ids, ${ID_BYTES} do
    local id = sub(ids, at, at + 3)
    if partitions[id] == partitions[new] and nexts[id] < nexts[new] then
      before = before + 1
      if times[id] <= times[new] then earlier = earlier + 1 end
    end
  end
  return earlier >= stop or before >= 4 * stop
end
local function split(held)
  if held.shards == held.unit * 2 then held.unit = held.shards end
  local from, to = held.shards - held.unit, held.shards
  local kept, left = keptBytes(held.unit), keptBytes(held.unit * 2)
  local width = kept + ${ID_BYTES}
  -- The bit that decides is in the last byte that rows kept until now.
  local unit = held.unit * ${BUCKETS} / 256 ^ (5 - kept)
  local all, stay, move = call('HGETALL', held.prefix .. from), {}, {}
  for at = 1, #all, 2 do
    local bucket, rows = sub(all[at], 1, 1), all[at + 1]
    for row = 1, #rows, width do
      local side = math.floor(byte(rows, row + kept - 1) / unit) % 2 == 1 and move or stay
      local whole = sub(rows, row, row + width - 1)
      if left < kept then whole = sub(whole, 1, left) .. sub(whole, kept + 1) end
      side[bucket] = (side[bucket] or '') .. whole
    end
  end
  call('DEL', held.prefix .. from)
  for shard, side in pairs({ [from] = stay, [to] = move }) do
    local pairsOf = {}
    for bucket, rows in pairs(side) do layOut(pairsOf, bucket, rows, left + ${ID_BYTES}) end
    if #pairsOf > 0 then
      put(held.prefix .. shard, pairsOf)
      call('EXPIRE', held.prefix .. shard, ${EXPIRE_SECONDS + DAY_SECONDS})
    end
  end
  held.shards = held.shards + 1
end
local stop, touched = tonumber(ARGV[3]), { [sizes] = true }
local today = math.floor(call('TIME')[1] / ${DAY_SECONDS})
-- The first shards expire a while after they were last written. Once there are more, all are put off once a day.
local function putOff(held)
  if held.shards == ${FIRST_SHARDS} or held.day == today then return end
  for shard = 0, held.shards - 1 do call('EXPIRE', held.prefix .. shard, ${EXPIRE_SECONDS + DAY_SECONDS}) end
  call('HSET', sizes, 'day:' .. held.name, today)
end
local surplus, position = {}, 0
for a = 4, #ARGV, 4 do
  local id, record, epoch, keys = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local block, at = blockOf(id)
  if not touched[block] and call('STRLEN', block) == 0 then
    call('SETRANGE', block, ${BLOCK_RECORDS * RECORD_BYTES - 1}, '\\0')
  end
  call('SETRANGE', block, at, record)
  touched[block] = true
  times[id], partitions[id], nexts[id] = struct.unpack('>I6I2I6', record)
  for k = 1, #keys, ${KEY_BYTES} do
    local held = openEpoch(byte(keys, k), epoch)
    local shard, bucket, kept = place(held, keys, k)
    local ids, field, rows = find(shard, bucket, kept, math.huge)
    if #ids >= stop * ${ID_BYTES} and not holdsId(ids, id) and isSurplus(ids, id, stop) then
      surplus[#surplus + 1] = position
    elseif not holdsId(ids, id) then
      call('HSET', shard, field, rows .. kept .. id)
      held.rows = held.rows + 1
      if #ids == 0 then held.fresh[#held.fresh + 1] = sub(keys, k + 1, k + 5) end
      if held.shards == ${FIRST_SHARDS} then touched[shard] = true end
    end
    position = position + 1
  end
end
local news = {}
for _, lanes in pairs(opened) do
  for _, held in pairs(lanes) do
    while held.rows > held.shards * ${ROWS_A_SHARD} do split(held) end
    putOff(held)
    if #held.fresh > 0 then
      news[#news + 1], news[#news + 2] = held.name, table.concat(held.fresh)
    end
  end
end
saveSizes()
if #news > 0 then
  local entry = call('HINCRBY', sizes, 'journal', 1)
  local journal = prefix .. 'j:' .. generation .. ':keys'
  call('XADD', journal, 'MAXLEN', ${JOURNAL_ENTRIES}, entry .. '-1', unpack(news))
  call('EXPIRE', journal, ${JOURNAL_SECONDS})
end
for key in pairs(touched) do call('EXPIRE', key, ${EXPIRE_SECONDS}) end
return surplus`;

/**
 * KEYS[2]: the journal. ARGV: the last entry of it that was read, about how many ids of a key are wanted, then for
 * each epoch its number and packed keys. Answers the last entry, those in between, and pairs of a hit's position
 * among all these keys, from 0, and its ids.
 */
export const FIND = `
${COMMON}
local entry, read = tonumber(call('HGET', sizes, 'journal') or 0), tonumber(ARGV[3])
local news = entry > read and call('XRANGE', KEYS[2], (read + 1) .. '-1', '+') or {}
local wanted, hits, position = tonumber(ARGV[4]), {}, 0
for a = 5, #ARGV, 2 do
  local epoch, keys = ARGV[a], ARGV[a + 1]
  for k = 1, #keys, ${KEY_BYTES} do
    local held = openEpoch(byte(keys, k), epoch)
    if held.rows > 0 then
      local shard, bucket, kept = place(held, keys, k)
      local ids = find(shard, bucket, kept, wanted)
      if #ids > 0 then
        hits[#hits + 1], hits[#hits + 2] = position, ids
      end
    end
    position = position + 1
  end
end
return { entry, news, hits }`;

/** ARGV: for each entry its id, its epoch, its packed keys. */
export const REMOVE = `
${COMMON}
for a = 3, #ARGV, 3 do
  local id, epoch, keys = ARGV[a], ARGV[a + 1], ARGV[a + 2]
  for k = 1, #keys, ${KEY_BYTES} do
    local held = openEpoch(byte(keys, k), epoch)
    local shard, bucket, kept = place(held, keys, k)
    local width, rows, number = #kept + ${ID_BYTES}, '', 0
    repeat
      local more = call('HGET', shard, fieldOf(bucket, number)) or ''
      rows, number = rows .. more, number + 1
    until #more + width <= ${FIELD_BYTES}
    local at = rowAt(rows, width, kept .. id)
    if at then
      for last = 0, number - 1 do call('HDEL', shard, fieldOf(bucket, last)) end
      local pairsOf = {}
      layOut(pairsOf, bucket, sub(rows, 1, at - 1) .. sub(rows, at + width), width)
      put(shard, pairsOf)
      held.rows = held.rows - 1
    end
  end
end
saveSizes()
return 0`;

/** Answers the sizes: fields and values. */
export const SIZES = `return redis.call('HGETALL', KEYS[1])`;

/**
 * ARGV: a lane's epoch as \`<lane>:<epoch>\`, its prefix, its first shard to read, how many. Answers how many there
 * are, and the hashes in those, 5 bytes each. A hash that moves meanwhile moves to a shard with a higher number.
 */
export const HASHES = `
${ROWS}
local shards = tonumber(redis.call('HGET', KEYS[1], 'shards:' .. ARGV[1]) or 0)
local unit, first, hashes = unitOf(shards), tonumber(ARGV[3]), {}
for shard = first, math.min(shards, first + tonumber(ARGV[4])) - 1 do
  local kept = keptBytes((shard >= unit or shard < shards - unit) and unit * 2 or unit)
  local all = redis.call('HGETALL', ARGV[2] .. shard)
  for at = 1, #all, 2 do
    local told, rows = shard * ${BUCKETS} + string.byte(all[at]), all[at + 1]
    local last = string.sub(struct.pack('>I4', told), kept)
    for row = 1, #rows, kept + ${ID_BYTES} do
      hashes[#hashes + 1] = string.sub(rows, row, row + kept - 1) .. last
    end
  end
end
return { shards, table.concat(hashes) }`;

/** Empty where a service that speaks Redis has no run id: a restart in the middle of a write goes unnoticed there. */
const RUN = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''`;

/**
 * One hash holds the coverage of all generations, so that one script sees it at one moment:
 * \`current:<version>\` and \`building:<version>\` name generations, \`<generation>:<partition>\` is a next offset,
 * \`last\` the greatest generation so far; its number is the millisecond in which it was begun, so that an index
 * that was lost and made anew has another. One writer's commands reach a snapshot or replica in order: never ahead
 * of the postings.
 */
export const COVERAGE_KEY = 'lp:coverage';

/** ARGV: version. Answers the run, the current generation or 0, and everything, at one moment. */
export const COVERAGE = `
${RUN}
return { run, tonumber(redis.call('HGET', KEYS[1], 'current:' .. ARGV[1]) or 0), redis.call('HGETALL', KEYS[1]) }`;

/** ARGV: version. Answers as COVERAGE, of the generation that is being built. */
export const BEGIN = `
${RUN}
local generation = redis.call('HGET', KEYS[1], 'building:' .. ARGV[1])
if not generation then
  local last = tonumber(redis.call('HGET', KEYS[1], 'last') or 0)
  local now = redis.call('TIME')
  generation = math.max(last + 1, now[1] * 1000 + math.floor(now[2] / 1000))
  redis.call('HSET', KEYS[1], 'last', generation, 'building:' .. ARGV[1], generation)
end
return { run, tonumber(generation), redis.call('HGETALL', KEYS[1]) }`;

/**
 * ARGV: version, generation. Answers false if it is neither built nor current, else the older generations, which
 * are forgotten.
 */
export const ACTIVATE = `
local version, generation = ARGV[1], ARGV[2]
local isBuilt = redis.call('HGET', KEYS[1], 'building:' .. version) == generation
if not isBuilt and redis.call('HGET', KEYS[1], 'current:' .. version) ~= generation then return false end
local old, all = {}, redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  local named = string.match(all[at], '^%a+:') and all[at + 1]
  local of = tonumber(named or string.match(all[at], '^(%d+):'))
  if of and of < tonumber(generation) then
    redis.call('HDEL', KEYS[1], all[at])
    old[of] = true
  end
end
if isBuilt then redis.call('HDEL', KEYS[1], 'building:' .. version) end
redis.call('HSET', KEYS[1], 'current:' .. version, generation)
local answer = {}
for of in pairs(old) do answer[#answer + 1] = of end
return answer`;

/** ARGV: version, generation, the run in which the postings were added, partition, its coverage then, and now. */
export const COVER = `
${RUN}
local version, generation = ARGV[1], ARGV[2]
local isLive = redis.call('HGET', KEYS[1], 'current:' .. version) == generation
  or redis.call('HGET', KEYS[1], 'building:' .. version) == generation
local field = generation .. ':' .. ARGV[4]
local held = tonumber(redis.call('HGET', KEYS[1], field) or 0)
if not isLive or run ~= ARGV[3] or held < tonumber(ARGV[5]) then return 0 end
if held < tonumber(ARGV[6]) then redis.call('HSET', KEYS[1], field, ARGV[6]) end
return 1`;
