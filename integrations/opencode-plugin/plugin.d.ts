import type { CaptureState, LineprintClient } from '@lineprint/capture';

export interface PluginOptions {
  readonly state?: CaptureState;
  /** The SDK's `send.cjs`; without it what is kept is sent by the next `lineprint capture flush`. */
  readonly senderScript?: string;
  /** The Node that runs it; by default the program that the plugin runs in. */
  readonly node?: string;
  readonly now?: () => number;
  readonly client?: Pick<LineprintClient, 'sendStats'>;
}

export interface Model {
  readonly providerID: string;
  readonly modelID: string;
}

export interface ToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

/** The part of OpenCode's plugin input that is used. */
export interface PluginInput {
  readonly directory: string;
  readonly client?: {
    readonly session: {
      get(options: { path: { id: string } }): Promise<{ data?: { id: string; parentID?: string } }>;
    };
  };
}

/** The hooks that the plugin has. */
export interface PluginHooks {
  'chat.message'(
    input: { readonly sessionID: string; readonly model?: Model },
    output?: { readonly message?: { readonly model?: Model } },
  ): Promise<void>;
  'tool.execute.before'(
    input: ToolCall,
    output: { readonly args: Readonly<Record<string, unknown>> },
  ): Promise<void>;
  'tool.execute.after'(
    input: ToolCall & { readonly args: Readonly<Record<string, unknown>> },
    output: { readonly title: string; readonly output: string; readonly metadata: unknown },
  ): Promise<void>;
  event(input: { readonly event: { readonly type: string; readonly properties?: unknown } }): Promise<void>;
}

export function lineprintPlugin(
  assistant: 'opencode' | 'kilo',
  options?: PluginOptions,
): (input: PluginInput) => Promise<PluginHooks>;
