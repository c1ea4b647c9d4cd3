import { z } from 'zod';

/** RFC 9457 problem details, with a stable `code` for programs. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  instance: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), detail: z.string() })).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** Answer to every batch endpoint: what was taken, and for each refused item why. */
export const batchAnswerSchema = z.object({
  accepted: z.int(),
  rejected: z.array(z.object({ index: z.int(), code: z.string(), detail: z.string() })),
});
export type BatchAnswer = z.infer<typeof batchAnswerSchema>;
