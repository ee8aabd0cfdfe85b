/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - `gristmill version`: opens no session, so that it answers at once. */
#include "cmd.h"

gm_code cmd_version(cmd *c)
{
    cmd_put_text(c, c->out, "version", gm_version());
    cmd_say(c, "gristmill %s\n", gm_version());
    return GM_OK;
}
