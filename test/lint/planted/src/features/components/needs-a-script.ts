import { tool } from '../../../scripts/tool.ts';

export const needed = tool;
