"""Small HDF5 files as seeds for their fuzz target, compressed by zlib."""

from base64 import b64decode
from zlib import decompress

HDF5 = {
    "old": decompress(
        b64decode(
            "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KCjhQ+TD5BCjNCKU7oPQKJpg4I1hOAiouCDUfXV1IkKsrSPV/NACzx4AFQnMwjIKRCDxc"
            "HQNAdAQsPUDpE0yo6soTy1LT8otyYfycxKTUnGIoHZ+XmJtajJJeNQjYy8jAClHLCONbQGhmiAAbVB0TGo1LnBmYE0A6BRXkGSBJ"
            "WoFBnINBvB4qzwpM4SB5JiYmRkh6h+QcoHUcqDkOBjLoGg/Bfv4ujEBfKMDyOxt+9bB8X8GKXx0sXyswj4z0jJmuICHFyIiartjg"
            "6UYArFSAA5aWBAiklwRokPKg2TxhSIYHZj6C+FuYESKGOxxyoOHAgmbjjNFCFQ4a7IGEAxABcQMQLwDiA0D8AIgZHIFpDYgVgNgA"
            "iB2AOACIE4C4AIgbgLgDiCcA8QwgXgDEK4B4AxDvcIREKAQnMiQlAQBQ8E0K"
        )
    ),
    "old_chunks": decompress(
        b64decode(
            "eNrtmTFPAjEUx9veYS5EkzsdQBzs4ODI6CYkYJiUqIObHAlOoEYSdZMRN0ZGRkbHGx39CIx+DDd85bXilRw4oYb3C39e2r623OO1"
            "CY/nSuloI51LM4XnMZf57DtjzWgn3jbjNW25tl1th8L088lYVvcHen3b7/y0XFbeYwuzT95F6zFiFamUi1VlL0w+aPsm4n4P4X3j"
            "6uauZdrNsN5otrW9vA5bjXYsX/cX7MtZCn25aR+gdbBjTfsJyyb1O3AS1MxA7jJMackyHss86fEUZLgaF47gmO8S5wn3MTVdysid"
            "ftLaUr6Hs+OTEoenkCb+ufn+5txH2/P9zLmWzmrks7rvVBzt+07+cH4U6HhZ+ZXEyPJ3F/h/BPF2Uj67dDURBEEQBEEQxJLoHMJb"
            "AV6gDmgAegW9g1iRMR8kQXlQAVQF1UC3oA6oC+qB+qABaAh6AUVF/MGLClm9TrEmCIIgiN9nti6NlVbO43VpYx3mT1x9z9Tu8H+Y"
            "r3qzMPVmXMfh2U2cuW7t3PuX8Zitw+Nzb3HsS47Dno6DXens/+n8+AQHTWIp"
        )
    ),
    "new": decompress(
        b64decode(
            "eNrr9HBx4+WS4mLm4GCAgf9QUAAVMoCK30+cwOXv4RLExFDBJISsEAa4mBgYGRjYhBmAFEd5YllqWn5R7maobjZBkDBbTmJSak7x"
            "fkaooBhIkBssGJ+XmJtafJoJql6IAQtoK+uxATuBkYGR0YSBgYmZkZENKseERuMSZxZhYBRUkGdgAfMUGMQ5GMTrgSxWoOuZuTiA"
            "9jIDnQ9RmwCzeALDoAN7pjc8goeFCNB/jIiwgNHMPAyMAhwwvwug+DEB6kcemIE7GIYsOHZxly96WGDEOwcDozAjhI8cDjnQcGCB"
            "ByzDkAZ31EtOMIyCUTAKRgFxoMEeSDgAERA3APECID4AxA+AmMERWHEAsQIQGwCxAxAHAHECEBcAcQMQdwDxBCCeAcQLgHgFEG8A"
            "4h2OoOodhhMZkpIAHLhPBQ=="
        )
    ),
    "new_chunks": decompress(
        b64decode(
            "eNrtlb9Lw0AUx9+7i+G4VugvLLiYzbWgu42E0kUUcbcp1KnVYkXdLLgoCBZcxKmjo+BSRNBBxLWzhXbwv3DQl/RdLVV3K/2SDy/3"
            "TXK8fC/kTvNeblrPaqkUGH2wqmxl2O/6Db2a99YFHIrE8I1GWgAC2Emgog78/dLWzm7llp+244Ftl/1iqVybEmzOBGYkNDe3/Uqp"
            "Fpd8fwJ+0NXbhRe2gIC4CCAkos3XxEj9zZcpwLgzB1Y4ciCtIH1EZ9QTyoii7i0BFgohLKkfkJ86h7+mp87Ge87NewBKm9Beud1W"
            "++w453rLAIMX4MV0uGa59ha62UGiKUoJvxI1VUYBY8okGOsnpRWtkMQCzxM1bbVgbPXcvlsZzeLb16MAk9gfD+dQ5hwsM9k9jLU6"
            "83svMNFEE/1/1ZeCHYEOok40iUeiR4BLv3zCITJEllgjCkSVqBMnRIO4JJrENXFDtNxgezf4UCx+ApK5V+g="
        )
    ),
}
