import { RECORD_BYTES } from './posting-record';

/**
 * The index of one organisation and generation in Redis, all in one slot of a cluster:
 *
 * - `lp:{tenant}:<lane>:<generation>:<epoch>:<shard>`, a hash: the first 4 bytes of a key's 40-bit hash → ids of
 *   4 bytes, 16 at most. Ids beyond these stand under the field and a byte 1, 2, …
 * - `lp:{tenant}:d:<generation>:<block>`, a string: records of the snippets by id (posting-record.ts)
 * - `lp:{tenant}:m:<generation>:sizes`, a hash: for each lane and epoch its shards and their fields, and how many
 *   entries the journal has had since the index was begun at `since`
 * - `lp:{tenant}:j:<generation>:keys`, a stream: hashes that were new, for filters to follow
 *
 * A shard stays a listpack, 12 bytes a key where a hash table takes 100: it has 128 fields on average and
 * seldom 256 (`hash-max-listpack-entries` is 512), none longer than 64 bytes (`hash-max-listpack-value`). Shards
 * are split one by one as the epoch grows (linear hashing), so that a small organisation has few of them. The
 * last byte of the hash tells the first 256 shards apart and is in no field.
 */

/** Snippets count for 90 days; the rest is slack for late commits. An epoch's last is written at its end, as a rule. */
const EXPIRE_SECONDS = 120 * 86_400;
/** A filter that has slept longer is made anew. */
const JOURNAL_SECONDS = 3600;
const JOURNAL_ENTRIES = 256;
const FIRST_SHARDS = 256;
const FIELDS_A_SHARD = 128;
/** Redis allocates 4096 bytes for this many records and the string's header. */
const BLOCK_RECORDS = 292;

/** Bytes of a key in arguments: its lane, then its hash. */
export const KEY_BYTES = 6;
export const ID_BYTES = 4;

/**
 * KEYS[1] is always the sizes' key. ARGV begins with the organisation's prefix and the generation.
 * `epochOf` answers one lane's epoch, `place` a key's shard and field in it.
 */
const COMMON = `
local sizes, prefix, generation = KEYS[1], ARGV[1], ARGV[2]
local LANES = { [0] = 'l', 'c', 't', 'a' }
local opened = {}
local function openEpoch(lane, epoch)
  local name = LANES[lane] .. ':' .. epoch
  local held = opened[name]
  if not held then
    local known = redis.call('HMGET', sizes, 'shards:' .. name, 'fields:' .. name)
    local shards = tonumber(known[1] or ${FIRST_SHARDS})
    local unit = ${FIRST_SHARDS}
    while unit * 2 <= shards do unit = unit * 2 end
    held = {
      name = name, shards = shards, unit = unit, fields = tonumber(known[2] or 0), fresh = {},
      prefix = prefix .. LANES[lane] .. ':' .. generation .. ':' .. epoch .. ':',
    }
    opened[name] = held
  end
  return held
end
local function shardOf(held, b2, b3, b4, b5)
  local low = ((b2 * 256 + b3) * 256 + b4) * 256 + b5
  local shard = low % held.unit
  if shard < held.shards - held.unit then shard = low % (held.unit * 2) end
  return shard
end
local function place(held, packed, at)
  local _, b2, b3, b4, b5 = string.byte(packed, at + 1, at + 5)
  return held.prefix .. shardOf(held, b2, b3, b4, b5), string.sub(packed, at + 1, at + 4)
end
local function idsOf(shard, field)
  local ids = redis.call('HGET', shard, field)
  if not ids then return nil, 0 end
  local rows = 0
  while #ids == (rows + 1) * 64 do
    local more = redis.call('HGET', shard, field .. string.char(rows + 1))
    if not more then return ids, rows end
    ids, rows = ids .. more, rows + 1
  end
  return ids, rows
end
local function blockOf(id)
  return prefix .. 'd:' .. generation .. ':' .. math.floor(id / ${BLOCK_RECORDS}), id % ${BLOCK_RECORDS} * ${RECORD_BYTES}
end
local records = {}
local function recordOf(id)
  local record = records[id]
  if not record then
    local block, at = blockOf(struct.unpack('>I4', id))
    record = redis.call('GETRANGE', block, at, at + ${RECORD_BYTES - 1})
    records[id] = record
  end
  return record
end
local function holdsId(ids, id)
  for at = 1, #ids, ${ID_BYTES} do
    if string.sub(ids, at, at + 3) == id then return true end
  end
  return false
end
local function put(key, pairs)
  for at = 1, #pairs, 1000 do
    redis.call('HSET', key, unpack(pairs, at, math.min(at + 999, #pairs)))
  end
end
`;

/**
 * ARGV: for each entry its id, its record, its epoch, its packed keys.
 * `isSurplus` is the one of eligibility.ts, where it is explained.
 */
export const ADD = `
${COMMON}
local function isSurplus(ids, record, stop)
  local time, partition, offset = struct.unpack('>I6I2I6', record)
  local before, earlier = 0, 0
  for at = 1, #ids, ${ID_BYTES} do
    local other = recordOf(string.sub(ids, at, at + 3))
    -- A record expires with those of the ids around it.
    if #other > 0 then
      local t, p, o = struct.unpack('>I6I2I6', other)
      if p == partition and o < offset then
        before = before + 1
        if t <= time then earlier = earlier + 1 end
        if earlier >= stop or before >= 4 * stop then return true end
      end
    end
  end
  return false
end
local function split(held)
  if held.shards == held.unit * 2 then held.unit = held.shards end
  local from, to = held.shards - held.unit, held.shards
  local all, stay, move = redis.call('HGETALL', held.prefix .. from), {}, {}
  for at = 1, #all, 2 do
    local _, b2, b3, b4 = string.byte(all[at], 1, 4)
    local low = ((b2 * 256 + b3) * 256 + b4) * 256 + from % 256
    local side = low % (held.unit * 2) == to and move or stay
    side[#side + 1], side[#side + 2] = all[at], all[at + 1]
  end
  if #move > 0 then
    redis.call('DEL', held.prefix .. from)
    put(held.prefix .. from, stay)
    put(held.prefix .. to, move)
    if #stay > 0 then redis.call('EXPIRE', held.prefix .. from, ${EXPIRE_SECONDS}) end
    redis.call('EXPIRE', held.prefix .. to, ${EXPIRE_SECONDS})
  end
  held.shards = held.shards + 1
end
local stop, touched = tonumber(ARGV[3]), { [sizes] = true }
for a = 4, #ARGV, 4 do
  local id, record, epoch, keys = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local block, at = blockOf(struct.unpack('>I4', id))
  if not touched[block] and redis.call('STRLEN', block) == 0 then
    redis.call('SETRANGE', block, ${BLOCK_RECORDS * RECORD_BYTES - 1}, '\\0')
  end
  redis.call('SETRANGE', block, at, record)
  touched[block], records[id] = true, record
  for k = 1, #keys, ${KEY_BYTES} do
    local held = openEpoch(string.byte(keys, k), epoch)
    local shard, field = place(held, keys, k)
    local ids, rows = idsOf(shard, field)
    if not ids then
      redis.call('HSET', shard, field, id)
      held.fields = held.fields + 1
      held.fresh[#held.fresh + 1] = string.sub(keys, k + 1, k + 5)
      touched[shard] = true
    elseif not holdsId(ids, id) and not (#ids >= stop * ${ID_BYTES} and isSurplus(ids, record, stop)) then
      local free = #ids % 64 ~= 0
      if not free then rows, held.fields = rows + 1, held.fields + 1 end
      local row = rows > 0 and field .. string.char(rows) or field
      redis.call('HSET', shard, row, (free and string.sub(ids, rows * 64 + 1) or '') .. id)
      touched[shard] = true
    end
  end
end
local news = {}
for name, held in pairs(opened) do
  while held.fields > held.shards * ${FIELDS_A_SHARD} do split(held) end
  redis.call('HSET', sizes, 'shards:' .. name, held.shards, 'fields:' .. name, held.fields)
  if #held.fresh > 0 then
    news[#news + 1], news[#news + 2] = name, table.concat(held.fresh)
  end
end
if #news > 0 then
  local now = redis.call('TIME')
  redis.call('HSETNX', sizes, 'since', now[1] .. '.' .. now[2])
  local entry = redis.call('HINCRBY', sizes, 'journal', 1)
  local journal = prefix .. 'j:' .. generation .. ':keys'
  redis.call('XADD', journal, 'MAXLEN', ${JOURNAL_ENTRIES}, entry .. '-1', unpack(news))
  redis.call('EXPIRE', journal, ${JOURNAL_SECONDS})
end
for key in pairs(touched) do redis.call('EXPIRE', key, ${EXPIRE_SECONDS}) end
return 0`;

/**
 * ARGV: for each epoch its number and packed keys. Answers pairs of a hit's position among all these keys, from
 * 0, and its ids; then all these ids, none twice; then their records.
 */
export const FIND = `
${COMMON}
local hits, position, ids, found = {}, 0, {}, {}
for a = 3, #ARGV, 2 do
  local epoch, keys = ARGV[a], ARGV[a + 1]
  for k = 1, #keys, ${KEY_BYTES} do
    local held = openEpoch(string.byte(keys, k), epoch)
    local of = held.fields > 0 and idsOf(place(held, keys, k))
    if of then
      hits[#hits + 1], hits[#hits + 2] = position, of
      for at = 1, #of, ${ID_BYTES} do
        local id = string.sub(of, at, at + 3)
        if not records[id] and #recordOf(id) > 0 then
          ids[#ids + 1], found[#found + 1] = id, records[id]
        end
      end
    end
    position = position + 1
  end
end
return { hits, table.concat(ids), table.concat(found) }`;

/** ARGV: for each entry its id, its epoch, its packed keys. */
export const REMOVE = `
${COMMON}
for a = 3, #ARGV, 3 do
  local id, epoch, keys = ARGV[a], ARGV[a + 1], ARGV[a + 2]
  for k = 1, #keys, ${KEY_BYTES} do
    local held = openEpoch(string.byte(keys, k), epoch)
    local shard, field = place(held, keys, k)
    local ids, rows = idsOf(shard, field)
    if ids and holdsId(ids, id) then
      local left = {}
      for at = 1, #ids, ${ID_BYTES} do
        local other = string.sub(ids, at, at + 3)
        if other ~= id then left[#left + 1] = other end
      end
      for row = 0, rows do
        local name = row > 0 and field .. string.char(row) or field
        if row * 16 < #left then
          redis.call('HSET', shard, name, table.concat(left, '', row * 16 + 1, math.min(row * 16 + 16, #left)))
        else
          redis.call('HDEL', shard, name)
          held.fields = held.fields - 1
        end
      end
    end
  end
end
for name, held in pairs(opened) do redis.call('HSET', sizes, 'fields:' .. name, held.fields) end
return 0`;

/**
 * KEYS[2]: the journal. ARGV[3], ARGV[4]: since when the index is followed, and the last entry read. Answers both
 * as they are now, and the entries in between where it is still the same index.
 */
export const FOLLOW = `
local now = redis.call('HMGET', KEYS[1], 'since', 'journal')
local since, entry = now[1] or '', tonumber(now[2] or 0)
local news = {}
if since == ARGV[3] and entry > tonumber(ARGV[4]) then
  news = redis.call('XRANGE', KEYS[2], (tonumber(ARGV[4]) + 1) .. '-1', '+')
end
return { since, entry, news }`;

/** Answers the sizes: fields and values. */
export const SIZES = `return redis.call('HGETALL', KEYS[1])`;

/**
 * ARGV: a lane's epoch as \`<lane>:<epoch>\`, its prefix, its first shard to read, how many. Answers how many there
 * are, and the hashes in those, 5 bytes each. A hash that moves meanwhile moves to a shard with a higher number.
 */
export const HASHES = `
local shards = tonumber(redis.call('HGET', KEYS[1], 'shards:' .. ARGV[3]) or 0)
local first, hashes = tonumber(ARGV[5]), {}
for shard = first, math.min(shards, first + tonumber(ARGV[6])) - 1 do
  local last = string.char(shard % 256)
  for _, field in ipairs(redis.call('HKEYS', ARGV[4] .. shard)) do
    if #field == 4 then hashes[#hashes + 1] = field .. last end
  end
end
return { shards, table.concat(hashes) }`;

/** Empty where a service that speaks Redis has no run id: a restart in the middle of a write goes unnoticed there. */
const RUN = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''`;

/**
 * One hash holds the coverage of all generations, so that one script sees it at one moment:
 * \`current:<version>\` and \`building:<version>\` name generations, \`<generation>:<partition>\` is a next offset,
 * \`last\` the greatest generation so far. One writer's commands reach a snapshot or replica in order: never ahead
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
  generation = redis.call('HINCRBY', KEYS[1], 'last', 1)
  redis.call('HSET', KEYS[1], 'building:' .. ARGV[1], generation)
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
